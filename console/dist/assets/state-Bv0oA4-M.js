<<<<<<<< HEAD:console/dist/assets/state-Bv0oA4-M.js
import{c as e,l as t,v as n}from"./page-BQPCm_XS.js";var r=n(),i={on_hold:`bad`,voided:`bad`,shipped:`good`},a=({status:n})=>(0,r.jsx)(e,{word:t.boxes.states[n],tone:i[n]??`plain`});export{a as t};
========
import{c as e,l as t,v as n}from"./page-B600Nr4I.js";var r=n(),i={on_hold:`bad`,voided:`bad`,shipped:`good`},a=({status:n})=>(0,r.jsx)(e,{word:t.boxes.states[n],tone:i[n]??`plain`});export{a as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/state-DJjIltc3.js
