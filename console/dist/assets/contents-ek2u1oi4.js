<<<<<<<< HEAD:console/dist/assets/contents-ek2u1oi4.js
import{l as e}from"./page-BQPCm_XS.js";function t(e){let t=new Map;for(let{sku:n,qty:r}of e)t.set(n,(t.get(n)??0)+r);return[...t].map(([e,t])=>({sku:e,qty:t}))}var n=n=>t(n).map(({sku:e,qty:t})=>`${t} × ${e}`).join(`, `)||e.pack.nothing,r=({items:e})=>n(e);export{n,t as r,r as t};
========
import{l as e}from"./page-B600Nr4I.js";function t(e){let t=new Map;for(let{sku:n,qty:r}of e)t.set(n,(t.get(n)??0)+r);return[...t].map(([e,t])=>({sku:e,qty:t}))}var n=n=>t(n).map(({sku:e,qty:t})=>`${t} × ${e}`).join(`, `)||e.pack.nothing,r=({items:e})=>n(e);export{n,t as r,r as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/contents-Cxmpr7Mc.js
