<<<<<<<< HEAD:console/dist/assets/state-BuZMFeLk.js
import{c as e,l as t,v as n}from"./page-BQPCm_XS.js";var r=n(),i={running:`plain`,done:`good`,failed:`bad`,stopped:`bad`},a=({status:n})=>(0,r.jsx)(e,{word:t.recalls.states[n],tone:i[n]});export{a as t};
========
import{c as e,l as t,v as n}from"./page-B600Nr4I.js";var r=n(),i={running:`plain`,done:`good`,failed:`bad`,stopped:`bad`},a=({status:n})=>(0,r.jsx)(e,{word:t.recalls.states[n],tone:i[n]});export{a as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/state-CorV-IiI.js
