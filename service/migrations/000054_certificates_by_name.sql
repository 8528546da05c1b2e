-- Operators list certificates by product and batch number, drafts and retired ones too, page after page.
create index certificate_by_name on certificate (product_slug, batch_number);
