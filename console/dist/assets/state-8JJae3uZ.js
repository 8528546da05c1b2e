<<<<<<<< HEAD:console/dist/assets/state-8JJae3uZ.js
import{c as e,l as t,v as n}from"./page-BQPCm_XS.js";var r=n(),i={draft:`plain`,current:`good`,archived:`plain`,retired:`bad`},a=({status:n})=>(0,r.jsx)(e,{word:t.certificates.states[n],tone:i[n]}),o=({slug:e,batch_number:t})=>`/certificates/${encodeURIComponent(e)}/${encodeURIComponent(t)}`;export{o as n,a as t};
========
import{c as e,l as t,v as n}from"./page-B600Nr4I.js";var r=n(),i={draft:`plain`,current:`good`,archived:`plain`,retired:`bad`},a=({status:n})=>(0,r.jsx)(e,{word:t.certificates.states[n],tone:i[n]}),o=({slug:e,batch_number:t})=>`/certificates/${encodeURIComponent(e)}/${encodeURIComponent(t)}`;export{o as n,a as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/state-Bu2tmuEO.js
