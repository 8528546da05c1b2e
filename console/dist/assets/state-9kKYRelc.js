<<<<<<<< HEAD:console/dist/assets/state-9kKYRelc.js
import{c as e,v as t}from"./page-BQPCm_XS.js";var n=t(),r={live:`good`,suspended:`bad`,revoked:`bad`,expired:`bad`},i=({state:t})=>(0,n.jsx)(e,{word:t===`live`?`active`:t,tone:r[t]??`plain`});export{i as t};
========
import{c as e,v as t}from"./page-B600Nr4I.js";var n=t(),r={live:`good`,suspended:`bad`,revoked:`bad`,expired:`bad`},i=({state:t})=>(0,n.jsx)(e,{word:t===`live`?`active`:t,tone:r[t]??`plain`});export{i as t};
>>>>>>>> 011d2253 (Show the further events in the console):console/dist/assets/state-ic6HlDoL.js
