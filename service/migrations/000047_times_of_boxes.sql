-- A box is never shown with a time after the one it is listed under: readers come back with the largest time they saw
-- (docs/decisions/0064). A clock that stepped back within a transaction had written such a time.
update shipment set modified_at = listed_at where modified_at > listed_at;
