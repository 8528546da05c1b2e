<<<<<<<< HEAD:console/dist/assets/brand-filter-DXld3hU0.js
import{m as e}from"./index-DMLnJNcq.js";var t=500,n=`SANDBOX`;function r(r){let{data:i}=e(`list_brands`,{query:{limit:t}});return{name:`brand_code`,label:r,options:[...(i?.items??[]).filter(({code:e})=>e!==n).map(({code:e,name:t})=>[e,`${t} (${e})`]),n]}}export{r as t};
========
import{m as e}from"./index-DD-YdJrh.js";var t=500,n=`SANDBOX`;function r(r){let{data:i}=e(`list_brands`,{query:{limit:t}});return{name:`brand_code`,label:r,options:[...(i?.items??[]).filter(({code:e})=>e!==n).map(({code:e,name:t})=>[e,`${t} (${e})`]),n]}}export{r as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/brand-filter-BsZgfD7F.js
