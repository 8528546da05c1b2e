<<<<<<<< HEAD:console/dist/assets/state-4rpOqE5I.js
import{c as e,l as t,v as n}from"./page-BQPCm_XS.js";var r=n(),i={held:`bad`,cancelled:`bad`,shipped:`good`},a=Object.entries(t.orders.states),o=[`operator`,`address_invalid`,`out_of_stock`,`label_error`,`other`];function s(n){let{status:a,hold_reason:o}=n,s=t.orders.states[a],c=o===null?``:`: ${t.orders.reasons[o]}`;return(0,r.jsx)(e,{word:s+c,tone:i[a]??`plain`})}export{a as n,s as r,o as t};
========
import{c as e,l as t,v as n}from"./page-B600Nr4I.js";var r=n(),i={held:`bad`,cancelled:`bad`,shipped:`good`},a=Object.entries(t.orders.states),o=[`operator`,`address_invalid`,`out_of_stock`,`label_error`,`other`];function s(n){let{status:a,hold_reason:o}=n,s=t.orders.states[a],c=o===null?``:`: ${t.orders.reasons[o]}`;return(0,r.jsx)(e,{word:s+c,tone:i[a]??`plain`})}export{a as n,s as r,o as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/state-DdRUwcjK.js
