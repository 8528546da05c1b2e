-- Senders look for due deliveries themselves (docs/decisions/0080): the jobs that woke them would wait for ever.
do $$
begin
	if to_regclass('graphile_worker.jobs') is not null then
		perform graphile_worker.remove_job(key) from graphile_worker.jobs where task_identifier = 'send_events' and key is not null;
	end if;
end
$$;
