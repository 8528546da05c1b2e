<<<<<<<< HEAD:console/dist/assets/age-BCyXmg9U.js
import{n as e}from"./time-B7vmeK3O.js";import{v as t}from"./page-BQPCm_XS.js";var n=t(),r=new Intl.RelativeTimeFormat(void 0,{numeric:`auto`}),i=6e4,a=60*i,o=24*a,s=({at:t})=>(0,n.jsx)(`time`,{dateTime:t,title:e(t),children:c(Date.parse(t)-Date.now())});function c(e){return e>-36e5?r.format(Math.min(0,Math.round(e/i)),`minute`):e>-2*o?r.format(Math.round(e/a),`hour`):r.format(Math.round(e/o),`day`)}export{s as t};
========
import{n as e}from"./time-uL7yOdnc.js";import{v as t}from"./page-B600Nr4I.js";var n=t(),r=new Intl.RelativeTimeFormat(void 0,{numeric:`auto`}),i=6e4,a=60*i,o=24*a,s=({at:t})=>(0,n.jsx)(`time`,{dateTime:t,title:e(t),children:c(Date.parse(t)-Date.now())});function c(e){return e>-36e5?r.format(Math.min(0,Math.round(e/i)),`minute`):e>-2*o?r.format(Math.round(e/a),`hour`):r.format(Math.round(e/o),`day`)}export{s as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/age-aPzRc7i9.js
