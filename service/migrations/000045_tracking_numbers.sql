-- Boxes are found by the number on their parcel: by people who ask where it is, and before a number is used again.
create index shipment_tracking on shipment (tracking_number) where tracking_number is not null;
