<<<<<<<< HEAD:console/dist/assets/state-ByQH6lIr.js
import{c as e,l as t,v as n}from"./page-BQPCm_XS.js";var r=n(),i={running:`plain`,stopped:`plain`,finished:`good`,waiting:`plain`,passed:`good`,warning:`plain`,failed:`bad`,review:`plain`},a=({state:n})=>(0,r.jsx)(e,{word:t.golives.states[n],tone:i[n]}),o=({verdict:n})=>(0,r.jsx)(e,{word:t.golive.verdicts[n],tone:i[n]});export{o as n,a as t};
========
import{c as e,l as t,v as n}from"./page-B600Nr4I.js";var r=n(),i={running:`plain`,stopped:`plain`,finished:`good`,waiting:`plain`,passed:`good`,warning:`plain`,failed:`bad`,review:`plain`},a=({state:n})=>(0,r.jsx)(e,{word:t.golives.states[n],tone:i[n]}),o=({verdict:n})=>(0,r.jsx)(e,{word:t.golive.verdicts[n],tone:i[n]});export{o as n,a as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/state-Dtlgv9nW.js
