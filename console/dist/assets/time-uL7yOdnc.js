<<<<<<<< HEAD:console/dist/assets/time-B7vmeK3O.js
import{v as e}from"./page-BQPCm_XS.js";var t=e(),n=new Intl.DateTimeFormat(void 0,{dateStyle:`medium`,timeStyle:`short`}),r=new Intl.DateTimeFormat(void 0,{dateStyle:`medium`,timeStyle:`medium`}),i=e=>n.format(new Date(e)),a=({at:e,exact:n=!1})=>e==null?null:(0,t.jsx)(`time`,{dateTime:e,title:e,children:n?r.format(new Date(e)):i(e)});export{i as n,a as t};
========
import{v as e}from"./page-B600Nr4I.js";var t=e(),n=new Intl.DateTimeFormat(void 0,{dateStyle:`medium`,timeStyle:`short`}),r=new Intl.DateTimeFormat(void 0,{dateStyle:`medium`,timeStyle:`medium`}),i=e=>n.format(new Date(e)),a=({at:e,exact:n=!1})=>e==null?null:(0,t.jsx)(`time`,{dateTime:e,title:e,children:n?r.format(new Date(e)):i(e)});export{i as n,a as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/time-uL7yOdnc.js
