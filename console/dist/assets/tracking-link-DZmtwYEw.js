<<<<<<<< HEAD:console/dist/assets/tracking-link-DZmtwYEw.js
import{v as e}from"./page-BQPCm_XS.js";var t=e(),n=({box:e})=>{let n=[e.carrier_code,e.service_code].filter(Boolean).join(` `);return(0,t.jsxs)(t.Fragment,{children:[n,` `,e.tracking_url===null?e.tracking_number:(0,t.jsx)(`a`,{href:e.tracking_url,target:`_blank`,rel:`noreferrer`,children:e.tracking_number})]})};export{n as t};
========
import{v as e}from"./page-B600Nr4I.js";var t=e(),n=({box:e})=>{let n=[e.carrier_code,e.service_code].filter(Boolean).join(` `);return(0,t.jsxs)(t.Fragment,{children:[n,` `,e.tracking_url===null?e.tracking_number:(0,t.jsx)(`a`,{href:e.tracking_url,target:`_blank`,rel:`noreferrer`,children:e.tracking_number})]})};export{n as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/tracking-link-mZJ5VWbw.js
