<<<<<<<< HEAD:console/dist/assets/file-hXpyfS5v.js
import{l as e,p as t,u as n,x as r,y as i}from"./page-BQPCm_XS.js";import{t as a}from"./save-file-CbyOyPAx.js";var o=r(i(),1);function s(r,i){let[s,c]=(0,o.useState)(!1),[l,u]=(0,o.useState)(null);return{save:async(o,s)=>{c(!0),u(null);try{let e=await t(r,o,i);return a(e,s),e}catch(t){return u(t instanceof n?t:new n(`no_reply`,e.fileBroken,0)),null}finally{c(!1)}},isBusy:s,error:l}}export{s as t};
========
import{l as e,p as t,u as n,x as r,y as i}from"./page-B600Nr4I.js";import{t as a}from"./save-file-CbyOyPAx.js";var o=r(i(),1);function s(r,i){let[s,c]=(0,o.useState)(!1),[l,u]=(0,o.useState)(null);return{save:async(o,s)=>{c(!0),u(null);try{let e=await t(r,o,i);return a(e,s),e}catch(t){return u(t instanceof n?t:new n(`no_reply`,e.fileBroken,0)),null}finally{c(!1)}},isBusy:s,error:l}}export{s as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/file-CCvzz6hb.js
