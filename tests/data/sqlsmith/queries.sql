select  
  cast(nullif(ref_0.credit,
    cast(nullif(ref_0.id,
      ref_0.id) as int4)) as int4) as c0, 
  ref_0.city as c1, 
  case when (false) 
      or ((false) 
        or (case when cast(null as int8) <= cast(null as int2) then cast(null as inet) else cast(null as inet) end
             <<= cast(null as inet))) then ref_0.name else ref_0.name end
     as c2
from 
  public.customer as ref_0
where case when (54 is NULL) 
      and (ref_0.city is NULL) then cast(null as circle) else cast(null as circle) end
     |&> cast(null as circle);
select  
  sample_0.customer_id as c0, 
  sample_0.total as c1
from 
  public.orders as sample_0 tablesample system (7.1) 
where sample_0.note ~<~ (select name from public.customer limit 1 offset 1)
    
limit 87;
select  
  (select pg_catalog.var_samp(id) from public.orders)
     as c0, 
  (select total from public.spent limit 1 offset 5)
     as c1, 
  subq_0.c0 as c2, 
  subq_0.c0 as c3, 
  55 as c4, 
  subq_0.c0 as c5, 
  cast(nullif((select id from public.orders limit 1 offset 2)
      ,
    subq_0.c0) as int4) as c6, 
  subq_0.c0 as c7, 
  subq_0.c0 as c8, 
  31 as c9, 
  case when case when (subq_0.c0 is NULL) 
          or (false <= false) then cast(null as "numeric") else cast(null as "numeric") end
         <= cast(null as "numeric") then subq_0.c0 else subq_0.c0 end
     as c10, 
  subq_0.c0 as c11
from 
  (select  
        38 as c0
      from 
        public.orders as ref_0
      where (case when cast(null as date) >= cast(null as date) then ref_0.day else ref_0.day end
             is NULL) 
        or ((ref_0.id is NULL) 
          and (cast(null as anymultirange) &> cast(null as anyrange)))) as subq_0
where pg_catalog.pg_get_wal_replay_pause_state() is not NULL
limit 100;
select  
  subq_2.c0 as c0, 
  subq_2.c0 as c1
from 
  (select  
        subq_1.c1 as c0
      from 
        (select  
              sample_0.note as c0, 
              sample_0.id as c1, 
              sample_0.day as c2, 
              sample_0.total as c3, 
              sample_0.total as c4, 
              subq_0.c0 as c5
            from 
              public.orders as sample_0 tablesample bernoulli (0.6) ,
              lateral (select  
                    sample_0.id as c0, 
                    (select day from public.orders limit 1 offset 66)
                       as c1
                  from 
                    public.customer as ref_0
                  where (cast(null as tsquery) >= cast(null as tsquery)) 
                    and ((cast(null as name) > cast(null as name)) 
                      and (cast(null as tsvector) < cast(null as tsvector)))
                  limit 42) as subq_0
            where cast(null as anyrange) = cast(null as anyrange)) as subq_1
      where subq_1.c3 < pg_catalog.int2pl(
          cast(pg_catalog.int2um(
            cast(cast(null as int2) as int2)) as int2),
          cast(cast(null as int2) as int2))
      limit 82) as subq_2
where subq_2.c0 is NULL;
select  
  pg_catalog.datemultirange() as c0, 
  sample_0.name as c1
from 
  public.customer as sample_0 tablesample system (2.8) 
where sample_0.credit is not NULL
limit 113;
select  
  
    pg_catalog.stddev(
      cast(case when ref_0.day is NULL then cast(null as float4) else cast(null as float4) end
         as float4)) over (partition by ref_0.id order by ref_0.note) as c0
from 
  public.orders as ref_0
where EXISTS (
  select  
      ref_0.note as c0, 
      ref_0.total as c1, 
      ref_1.note as c2
    from 
      public.orders as ref_1
    where case when cast(nullif(cast(null as anyrange),
            cast(null as anyrange)) as anyrange) <@ cast(nullif(cast(null as anyrange),
            cast(null as anyrange)) as anyrange) then cast(null as date) else cast(null as date) end
         > cast(nullif(cast(null as timestamptz),
        case when cast(null as lseg) <@ cast(null as box) then cast(null as timestamptz) else cast(null as timestamptz) end
          ) as timestamptz)
    limit 143);
select  
  (select customer_id from public.spent limit 1 offset 4)
     as c0, 
  
    pg_catalog.max(
      cast(case when cast(coalesce(cast(null as xid),
            cast(null as xid)) as xid) <> sample_0.price then pg_catalog.date(
          cast(cast(coalesce(cast(null as "timestamp"),
            cast(null as "timestamp")) as "timestamp") as "timestamp")) else pg_catalog.date(
          cast(cast(coalesce(cast(null as "timestamp"),
            cast(null as "timestamp")) as "timestamp") as "timestamp")) end
         as date)) over (partition by sample_0.line order by sample_0.order_id,sample_0.product) as c1, 
  pg_catalog.has_any_column_privilege(
    cast(cast(nullif(case when cast(null as bpchar) <= pg_catalog.bpchar(
            cast(cast(null as name) as name)) then pg_catalog.pg_my_temp_schema() else pg_catalog.pg_my_temp_schema() end
        ,
      pg_catalog.pg_my_temp_schema()) as oid) as oid),
    cast((select pg_catalog.min(product) from public.item)
       as text)) as c2, 
  (select total from public.spent limit 1 offset 5)
     as c3, 
  sample_0.product as c4
from 
  public.item as sample_0 tablesample system (0.6) 
where sample_0.product is not NULL
limit 77;
select  
  (select quantity from public.item limit 1 offset 1)
     as c0, 
  sample_0.order_id as c1, 
  sample_0.order_id as c2, 
  sample_0.price as c3, 
  sample_0.product as c4, 
  sample_0.product as c5
from 
  public.item as sample_0 tablesample bernoulli (5.9) 
where cast(nullif(cast(nullif(case when cast(null as polygon) >> cast(null as polygon) then pg_catalog.datemultirange() else pg_catalog.datemultirange() end
        ,
      pg_catalog.nummultirange()) as anymultirange),
    cast(nullif(pg_catalog.tsmultirange(),
      case when (select customer_id from public.spent limit 1 offset 1)
             is NULL then cast(null as anymultirange) else cast(null as anymultirange) end
        ) as anymultirange)) as anymultirange) &> cast(coalesce(pg_catalog.datemultirange(
      cast(cast(null as daterange) as daterange)),
    pg_catalog.tstzmultirange()) as anymultirange)
limit 41;
select  
  sample_0.name as c0, 
  18 as c1, 
  
    pg_catalog.min(
      cast(pg_catalog.ts_rank(
        cast(pg_catalog.to_tsvector(
          cast(sample_0.name as text)) as tsvector),
        cast(cast(null as tsquery) as tsquery)) as float4)) over (partition by sample_0.id order by sample_0.credit) as c2, 
  sample_0.name as c3, 
  sample_0.credit as c4, 
  sample_0.credit as c5, 
  sample_0.city as c6, 
  pg_catalog.pg_stat_get_buf_alloc() as c7, 
  sample_0.name as c8
from 
  public.customer as sample_0 tablesample system (4.8) 
where pg_catalog.current_schema() !~ sample_0.city;
select  
  pg_catalog.current_user() as c0
from 
  (select  
        (select id from public.orders limit 1 offset 73)
           as c0, 
        ref_0.name as c1, 
        ref_0.city as c2, 
        ref_0.id as c3, 
        ref_0.id as c4, 
        ref_0.credit as c5, 
        
          pg_catalog.min(
            cast(cast(null as "timestamp") as "timestamp")) over (partition by ref_0.credit order by ref_0.credit,ref_0.id) as c6, 
        ref_0.name as c7, 
        ref_0.city as c8, 
        pg_catalog.pg_last_wal_receive_lsn() as c9
      from 
        public.customer as ref_0
      where EXISTS (
        select  
            ref_0.credit as c0, 
            73 as c1, 
            ref_0.id as c2, 
            ref_0.city as c3
          from 
            public.item as ref_1
          where cast(null as anymultirange) < cast(null as anymultirange))) as subq_0
where subq_0.c2 is NULL
limit 166;
select  
  pg_catalog.pg_stat_get_bgwriter_maxwritten_clean() as c0
from 
  public.orders as sample_0 tablesample system (5.2) 
    inner join public.item as ref_0
    on (case when (cast(null as "timestamp") = cast(null as date)) 
            and (false) then cast(null as timestamptz) else cast(null as timestamptz) end
           > cast(null as "timestamp"))
where case when cast(coalesce(pg_catalog.line(
          cast(cast(null as point) as point),
          cast(cast(null as point) as point)),
        case when cast(null as circle) &<| cast(null as circle) then cast(null as line) else cast(null as line) end
          ) as line) ?# cast(null as box) then pg_catalog.pg_my_temp_schema() else pg_catalog.pg_my_temp_schema() end
     is not NULL;
select  
  sample_0.total as c0, 
  sample_0.day as c1, 
  case when (case when cast(null as record) <> cast(null as record) then cast(null as anyenum) else cast(null as anyenum) end
           = cast(null as anyenum)) 
      or (false) then sample_0.day else sample_0.day end
     as c2, 
  subq_0.c0 as c3
from 
  public.orders as sample_0 tablesample system (2.1) 
    inner join (select  
          (select city from public.customer limit 1 offset 2)
             as c0
        from 
          public.customer as ref_0
        where ref_0.city is NULL) as subq_0
    on ((false) 
        or (cast(null as anyenum) < cast(null as anyenum)))
where sample_0.id <> sample_0.id
limit 21;
select  
  ref_0.city as c0, 
  ref_0.name as c1, 
  51 as c2
from 
  public.customer as ref_0
where false;
select  
  ref_0.customer_id as c0, 
  ref_0.customer_id as c1, 
  ref_0.orders as c2, 
  cast(coalesce(ref_0.customer_id,
    ref_0.customer_id) as int4) as c3
from 
  public.spent as ref_0
where cast(null as box) >> case when case when ref_0.orders <= cast(null as int2) then cast(null as circle) else cast(null as circle) end
         &<| cast(null as circle) then cast(null as box) else cast(null as box) end;
select  
  ref_0.product as c0
from 
  public.item as ref_0
where (pg_catalog.to_tsvector(
      cast((select pg_catalog.jsonb_agg_strict(id) from public.customer)
         as jsonb)) >= cast(null as tsvector)) 
  or (pg_catalog.transaction_timestamp() >= case when case when ref_0.quantity is NULL then case when cast(null as timestamptz) <= cast(null as timestamptz) then cast(null as anyrange) else cast(null as anyrange) end
             else case when cast(null as timestamptz) <= cast(null as timestamptz) then cast(null as anyrange) else cast(null as anyrange) end
             end
           && pg_catalog.int8multirange(
          cast(cast(null as int8range) as int8range)) then pg_catalog.timestamp_smaller(
        cast(cast(coalesce(cast(null as "timestamp"),
          cast(null as "timestamp")) as "timestamp") as "timestamp"),
        cast(cast(null as "timestamp") as "timestamp")) else pg_catalog.timestamp_smaller(
        cast(cast(coalesce(cast(null as "timestamp"),
          cast(null as "timestamp")) as "timestamp") as "timestamp"),
        cast(cast(null as "timestamp") as "timestamp")) end
      )
limit 90;
select  
  ref_0.id as c0, 
  cast(coalesce(ref_0.note,
    pg_catalog.to_hex(
      cast((select pg_catalog.bit_and(orders) from public.spent)
         as int8))) as text) as c1, 
  ref_0.id as c2
from 
  public.orders as ref_0
where cast(nullif(pg_catalog.macaddr_not(
      cast(pg_catalog.macaddr(
        cast(pg_catalog.macaddr8_and(
          cast(cast(null as macaddr8) as macaddr8),
          cast(cast(null as macaddr8) as macaddr8)) as macaddr8)) as macaddr)),
    cast(null as macaddr)) as macaddr) <> cast(null as macaddr)
limit 149;
select  
  ref_0.line as c0
from 
  public.item as ref_0
where case when (case when (ref_0.order_id is not NULL) 
            and ((ref_0.line is NULL) 
              and (cast(null as int2) <= 63)) then cast(null as record) else cast(null as record) end
           *<> cast(coalesce(case when (((cast(null as jsonb) @> cast(null as jsonb)) 
                  and (true)) 
                or ((ref_0.price is not NULL) 
                  and (cast(null as anymultirange) << cast(null as anymultirange)))) 
              or ((cast(null as int2) > ref_0.price) 
                or ((select pg_catalog.bit_and(orders) from public.spent)
                     >= ref_0.quantity)) then cast(null as record) else cast(null as record) end
            ,
          case when false then cast(null as record) else cast(null as record) end
            ) as record)) 
      and ((ref_0.product is not NULL) 
        and ((select orders from public.spent limit 1 offset 6)
             < cast(null as int2))) then cast(null as uuid) else cast(null as uuid) end
     <= cast(null as uuid);
select  
  subq_1.c0 as c0, 
  subq_1.c3 as c1
from 
  (select  
        subq_0.c1 as c0, 
        ref_0.day as c1, 
        ref_0.day as c2, 
        68 as c3, 
        subq_0.c0 as c4
      from 
        public.orders as ref_0,
        lateral (select  
              ref_1.total as c0, 
              ref_0.customer_id as c1, 
              ref_0.total as c2
            from 
              public.orders as ref_1
            where cast(null as name) !~~ ref_1.note
            limit 93) as subq_0
      where case when cast(null as anyenum) > cast(null as anyenum) then case when false then cast(null as bpchar) else cast(null as bpchar) end
             else case when false then cast(null as bpchar) else cast(null as bpchar) end
             end
           ~~* ref_0.note
      limit 143) as subq_1
where (pg_catalog.pg_stat_get_checkpoint_write_time() > pg_catalog.float4(
      cast(case when false then pg_catalog.int2(
          cast(pg_catalog.pi() as float8)) else pg_catalog.int2(
          cast(pg_catalog.pi() as float8)) end
         as int2))) 
  and (subq_1.c0 is NULL)
limit 28;
select  
  sample_0.note as c0, 
  pg_catalog.json_build_object() as c1, 
  sample_0.customer_id as c2, 
  sample_0.customer_id as c3, 
  sample_0.id as c4
from 
  public.orders as sample_0 tablesample system (9.8) 
where false;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1
from 
  (select  
        ref_0.day as c0
      from 
        public.orders as ref_0
      where cast(null as anyrange) > cast(coalesce(case when cast(null as float4) >= cast(null as float4) then cast(null as anyrange) else cast(null as anyrange) end
            ,
          cast(null as anyrange)) as anyrange)
      limit 106) as subq_0
where (subq_0.c0 is not NULL) 
  and ((select name from public.customer limit 1 offset 4)
       ~~ cast(coalesce(pg_catalog.timeofday(),
      (select pg_catalog.min(note) from public.orders)
        ) as text))
limit 96;
select  
  pg_catalog.int42gt(
    cast(sample_0.total as int4),
    cast(cast(coalesce(
        pg_catalog.bit_or(
          cast(cast(null as int2) as int2)) over (partition by sample_0.note order by sample_0.total,sample_0.total),
      pg_catalog.int2larger(
        cast(
          pg_catalog.bit_and(
            cast(cast(null as int2) as int2)) over (partition by sample_0.day order by sample_0.note,sample_0.day) as int2),
        cast(cast(null as int2) as int2))) as int2) as int2)) as c0, 
  sample_0.day as c1, 
  sample_0.total as c2, 
  sample_0.note as c3
from 
  public.orders as sample_0 tablesample bernoulli (3.4) 
where cast(null as float4) > pg_catalog.pi()
limit 164;
select  
  pg_catalog.pg_client_encoding() as c0, 
  
    pg_catalog.avg(
      cast(subq_0.c1 as int4)) over (partition by subq_0.c1 order by subq_0.c0,subq_0.c1,subq_0.c1) as c1, 
  subq_0.c0 as c2, 
  subq_0.c0 as c3
from 
  (select  
        cast(nullif(ref_0.orders,
          ref_0.orders) as int8) as c0, 
        sample_0.credit as c1
      from 
        public.customer as sample_0 tablesample system (0.9) 
          inner join public.spent as ref_0
          on (cast(null as polygon) |>> cast(null as polygon))
      where sample_0.credit is not NULL
      limit 38) as subq_0
where ((select product from public.item limit 1 offset 4)
       ~~ pg_catalog.normalize(
      cast(case when (cast(null as "numeric") <= cast(null as "numeric")) 
          or (cast(null as anymultirange) <@ cast(null as anymultirange)) then (select name from public.customer limit 1 offset 63)
           else (select name from public.customer limit 1 offset 63)
           end
         as text),
      cast(cast(null as text) as text))) 
  and (true);
select  
  sample_0.total as c0, 
  sample_1.price as c1, 
  sample_0.customer_id as c2, 
  sample_1.order_id as c3, 
  case when sample_0.customer_id is not NULL then sample_0.note else sample_0.note end
     as c4, 
  sample_0.day as c5, 
  sample_0.id as c6, 
  (select orders from public.spent limit 1 offset 5)
     as c7, 
  sample_1.price as c8
from 
  public.orders as sample_0 tablesample system (3.3) 
    left join public.item as sample_1 tablesample bernoulli (5.9) 
    on (cast(null as bpchar) ~~* sample_0.note)
where cast(nullif(cast(null as int2),
    pg_catalog.int2(
      cast(case when sample_0.customer_id > sample_1.price then cast(null as jsonb) else cast(null as jsonb) end
         as jsonb))) as int2) < sample_0.day
limit 71;
select  
  subq_0.c1 as c0, 
  subq_0.c2 as c1, 
  8 as c2
from 
  (select  
        ref_1.total as c0, 
        (select customer_id from public.spent limit 1 offset 67)
           as c1, 
        ref_1.total as c2, 
        ref_1.customer_id as c3
      from 
        public.spent as ref_0
          inner join public.spent as ref_1
          on (cast(null as oidvector) > cast(null as oidvector))
      where cast(coalesce(cast(nullif(cast(null as varbit),
            cast(null as varbit)) as varbit),
          case when ref_1.customer_id is not NULL then cast(null as varbit) else cast(null as varbit) end
            ) as varbit) = cast(coalesce(case when cast(null as lseg) < cast(null as lseg) then cast(null as varbit) else cast(null as varbit) end
            ,
          cast(null as varbit)) as varbit)
      limit 153) as subq_0
where pg_catalog.tsmultirange() > pg_catalog.int8multirange()
limit 92;
select  
  ref_0.credit as c0, 
  ref_0.name as c1, 
  ref_0.id as c2
from 
  public.customer as ref_0
where pg_catalog.pg_wal_replay_resume() is not NULL
limit 93;
select  
  case when pg_catalog.pg_stat_get_buf_fsync_backend() is NULL then cast(coalesce(subq_0.c0,
      subq_0.c0) as text) else cast(coalesce(subq_0.c0,
      subq_0.c0) as text) end
     as c0, 
  subq_0.c1 as c1, 
  subq_0.c1 as c2, 
  subq_0.c0 as c3
from 
  (select  
        sample_0.note as c0, 
        sample_0.day as c1, 
        sample_0.id as c2, 
        sample_0.customer_id as c3, 
        (select product from public.item limit 1 offset 2)
           as c4, 
        sample_0.customer_id as c5, 
        sample_0.id as c6, 
        sample_0.total as c7, 
        (select customer_id from public.spent limit 1 offset 1)
           as c8, 
        sample_0.customer_id as c9
      from 
        public.orders as sample_0 tablesample system (4.8) 
      where sample_0.id = sample_0.customer_id) as subq_0
where subq_0.c8 is NULL;
select  
  sample_0.note as c0, 
  sample_0.id as c1, 
  sample_0.customer_id as c2, 
  sample_0.total as c3, 
  sample_0.id as c4
from 
  public.orders as sample_0 tablesample bernoulli (8.7) 
where case when case when (sample_0.id is not NULL) 
          or (cast(null as "time") = cast(null as "time")) then sample_0.day else sample_0.day end
         is not NULL then pg_catalog.circle_in(
      cast(pg_catalog.regcollationout(
        cast(case when sample_0.customer_id is not NULL then cast(null as regcollation) else cast(null as regcollation) end
           as regcollation)) as cstring)) else pg_catalog.circle_in(
      cast(pg_catalog.regcollationout(
        cast(case when sample_0.customer_id is not NULL then cast(null as regcollation) else cast(null as regcollation) end
           as regcollation)) as cstring)) end
     |>> cast(coalesce(cast(null as circle),
    cast(null as circle)) as circle)
limit 47;
select  
  subq_1.c4 as c0, 
  cast(nullif((select customer_id from public.spent limit 1 offset 3)
      ,
    subq_1.c0) as int4) as c1
from 
  (select  
        subq_0.c3 as c0, 
        (select line from public.item limit 1 offset 1)
           as c1, 
        subq_0.c2 as c2, 
        ref_0.note as c3, 
        ref_0.id as c4
      from 
        public.orders as ref_0,
        lateral (select  
              ref_1.total as c0, 
              ref_0.customer_id as c1, 
              ref_1.customer_id as c2, 
              89 as c3, 
              ref_0.day as c4, 
              (select credit from public.customer limit 1 offset 3)
                 as c5, 
              ref_0.day as c6, 
              ref_1.customer_id as c7, 
              ref_1.total as c8, 
              ref_1.total as c9
            from 
              public.spent as ref_1
            where 35 is not NULL
            limit 14) as subq_0
      where (cast(nullif(cast(null as tsquery),
            cast(null as tsquery)) as tsquery) = cast(nullif(cast(null as tsquery),
            cast(null as tsquery)) as tsquery)) 
        or ((ref_0.day is not NULL) 
          or (cast(null as polygon) &< cast(null as polygon)))
      limit 59) as subq_1
where cast(null as anyarray) < cast(null as anyarray)
limit 44;
select  
  (select id from public.orders limit 1 offset 4)
     as c0, 
  pg_catalog.timestamptz_ne_timestamp(
    cast(pg_catalog.pg_conf_load_time() as timestamptz),
    cast(cast(null as "timestamp") as "timestamp")) as c1, 
  subq_0.c0 as c2, 
  subq_0.c3 as c3, 
  subq_0.c1 as c4, 
  subq_0.c1 as c5
from 
  (select  
        ref_0.id as c0, 
        ref_0.id as c1, 
        ref_0.id as c2, 
        pg_catalog.pg_rotate_logfile_old() as c3
      from 
        public.orders as ref_0
      where (ref_0.id is not NULL) 
        or (cast(null as lseg) <= cast(nullif(cast(null as lseg),
            cast(null as lseg)) as lseg))
      limit 112) as subq_0
where subq_0.c3 is not NULL;
select  
  ref_0.day as c0, 
  ref_0.note as c1, 
  ref_0.customer_id as c2, 
  ref_0.total as c3, 
  ref_0.note as c4, 
  
    pg_catalog.array_agg(
      cast(ref_0.total as int4)) over (partition by ref_0.id order by ref_0.day,ref_0.id) as c5, 
  (select orders from public.spent limit 1 offset 4)
     as c6, 
  pg_catalog.pg_control_system() as c7, 
  ref_0.id as c8, 
  ref_0.customer_id as c9, 
  ref_0.total as c10
from 
  public.orders as ref_0
where ref_0.note <= case when true then pg_catalog.session_user() else pg_catalog.session_user() end
    
limit 174;
select  
  subq_1.c4 as c0
from 
  (select  
          sample_0.id as c0, 
          sample_0.id as c1, 
          sample_0.total as c2, 
          sample_0.customer_id as c3, 
          sample_0.id as c4, 
          sample_0.note as c5, 
          sample_0.day as c6, 
          sample_0.total as c7, 
          sample_0.day as c8, 
          sample_0.note as c9
        from 
          public.orders as sample_0 tablesample bernoulli (8.4) 
        where case when cast(null as jsonb) < cast(null as jsonb) then cast(null as name) else cast(null as name) end
             <= sample_0.note) as subq_0
    inner join (select  
          sample_1.name as c0, 
          sample_1.id as c1, 
          sample_1.city as c2, 
          sample_1.id as c3, 
          sample_1.id as c4, 
          sample_1.city as c5
        from 
          public.customer as sample_1 tablesample system (4.9) 
        where false) as subq_1
    on (pg_catalog.session_user() !~* subq_1.c2)
where (cast(coalesce(pg_catalog.int4range(
        cast(subq_1.c3 as int4),
        cast(subq_0.c4 as int4)),
      cast(null as anyrange)) as anyrange) >> cast(null as anymultirange)) 
  and (false);
select  
  29 as c0, 
  ref_0.total as c1
from 
  public.orders as ref_0
where EXISTS (
  select  
      
        pg_catalog.string_agg(
          cast(ref_0.note as text),
          cast(ref_0.note as text)) over (partition by ref_0.total order by ref_0.customer_id) as c0, 
      (select note from public.orders limit 1 offset 29)
         as c1, 
      ref_0.id as c2, 
      ref_0.note as c3, 
      sample_0.quantity as c4, 
      sample_0.product as c5, 
      sample_0.price as c6, 
      (select total from public.spent limit 1 offset 4)
         as c7, 
      sample_0.line as c8
    from 
      public.item as sample_0 tablesample system (8.7) 
    where pg_catalog.integer_pl_date(
        cast(sample_0.quantity as int4),
        cast(cast(null as date) as date)) > cast(null as date)
    limit 176);
select  
  sample_0.price as c0, 
  pg_catalog.int2or(
    cast(pg_catalog.int2abs(
      cast(case when cast(null as bpchar) = cast(null as bpchar) then 
          pg_catalog.bit_or(
            cast(cast(null as int2) as int2)) over (partition by sample_0.order_id order by sample_0.product) else 
          pg_catalog.bit_or(
            cast(cast(null as int2) as int2)) over (partition by sample_0.order_id order by sample_0.product) end
         as int2)) as int2),
    cast(cast(null as int2) as int2)) as c1, 
  pg_catalog.tstzmultirange() as c2, 
  sample_0.order_id as c3, 
  sample_0.order_id as c4, 
  cast(coalesce(sample_0.price,
    sample_0.order_id) as int4) as c5, 
  sample_0.quantity as c6, 
  sample_0.order_id as c7, 
  sample_0.quantity as c8, 
  sample_0.line as c9, 
  sample_0.line as c10
from 
  public.item as sample_0 tablesample system (0.5) 
where false;
WITH 
jennifer_0 AS (select  
    subq_0.c0 as c0
  from 
    (select  
          ref_0.order_id as c0, 
          22 as c1
        from 
          public.item as ref_0
        where false
        limit 81) as subq_0
  where subq_0.c0 is not NULL
  limit 28)
select  
    sample_1.total as c0, 
    ref_1.total as c1, 
    sample_1.day as c2
  from 
    (select  
            sample_0.city as c0, 
            sample_0.name as c1, 
            sample_0.city as c2, 
            sample_0.credit as c3, 
            sample_0.id as c4, 
            sample_0.name as c5, 
            sample_0.credit as c6, 
            sample_0.credit as c7, 
            (select total from public.orders limit 1 offset 6)
               as c8, 
            sample_0.credit as c9, 
            sample_0.id as c10, 
            sample_0.credit as c11
          from 
            public.customer as sample_0 tablesample system (6.5) 
          where (cast(null as anyrange) > cast(null as anyrange)) 
            or (sample_0.name is NULL)
          limit 149) as subq_1
      right join public.orders as sample_1 tablesample bernoulli (0.5) 
        right join public.orders as ref_1
        on (cast(null as anymultirange) >> cast(null as anymultirange))
      on (subq_1.c5 ^@ (select note from public.orders limit 1 offset 1)
            )
  where false
  limit 48;
select  
  ref_0.id as c0, 
  sample_0.name as c1, 
  ref_0.name as c2, 
  ref_0.name as c3
from 
  public.customer as ref_0
    inner join public.customer as sample_0 tablesample bernoulli (4.2) 
    on (((true) 
          and (cast(null as record) >= cast(null as record))) 
        or (((ref_0.name is not NULL) 
            or (cast(null as bpchar) !~~ (select product from public.item limit 1 offset 72)
                )) 
          or (true)))
where pg_catalog.uuid_in(
    cast(pg_catalog.cidout(
      cast(cast(null as cid) as cid)) as cstring)) < cast(null as uuid)
limit 54;
select  
  pg_catalog.pg_stat_get_bgwriter_maxwritten_clean() as c0
from 
  (select  
        case when false then sample_0.price else sample_0.price end
           as c0, 
        sample_0.product as c1
      from 
        public.item as sample_0 tablesample system (1.3) 
      where (case when cast(null as int2) <> (select orders from public.spent limit 1 offset 4)
                 then cast(null as int2) else cast(null as int2) end
             >= cast(null as int2)) 
        and (false)) as subq_0
where subq_0.c0 is NULL
limit 84;
select  
  (select credit from public.customer limit 1 offset 4)
     as c0, 
  sample_0.day as c1, 
  sample_0.day as c2, 
  pg_catalog.txid_snapshot_send(
    cast(pg_catalog.txid_current_snapshot() as txid_snapshot)) as c3, 
  case when sample_0.total is not NULL then 84 else 84 end
     as c4
from 
  public.orders as sample_0 tablesample system (5.5) 
where cast(null as point) <@ cast(null as path)
limit 36;
select  
  ref_0.id as c0, 
  cast(coalesce(ref_0.city,
    ref_0.name) as text) as c1, 
  ref_0.id as c2, 
  ref_0.city as c3, 
  (select quantity from public.item limit 1 offset 1)
     as c4
from 
  public.customer as ref_0
where true
limit 97;
select  
  ref_0.orders as c0, 
  case when ref_0.orders is not NULL then (select orders from public.spent limit 1 offset 3)
       else (select orders from public.spent limit 1 offset 3)
       end
     as c1
from 
  public.spent as ref_0
where (true) 
  and (cast(null as uuid) < cast(null as uuid))
limit 32;
select  
  pg_catalog.pg_backend_pid() as c0, 
  cast(nullif(subq_0.c1,
    48) as int4) as c1
from 
  (select  
        ref_0.note as c0, 
        ref_0.id as c1, 
        ref_1.city as c2, 
        ref_1.name as c3
      from 
        public.orders as ref_0
          left join public.customer as sample_0 tablesample system (0.4) 
            inner join public.customer as ref_1
            on ((EXISTS (
                  select  
                      sample_1.id as c0, 
                      sample_1.day as c1, 
                      (select credit from public.customer limit 1 offset 2)
                         as c2, 
                      ref_1.city as c3, 
                      55 as c4, 
                      sample_1.day as c5, 
                      ref_1.id as c6
                    from 
                      public.orders as sample_1 tablesample bernoulli (8) 
                    where cast(null as circle) >= cast(null as circle))) 
                and (cast(null as name) <= cast(null as name)))
          on ((select pg_catalog.count(customer_id) from public.spent)
                 <= ref_0.day)
      where false
      limit 56) as subq_0
where (select orders from public.spent limit 1 offset 3)
     <= (select orders from public.spent limit 1 offset 3)
    
limit 47;
select  
  subq_0.c0 as c0
from 
  (select  
        sample_0.quantity as c0
      from 
        public.item as sample_0 tablesample system (1.5) 
      where sample_0.order_id is NULL
      limit 175) as subq_0
where subq_0.c0 is NULL;
select  
  subq_0.c3 as c0, 
  subq_0.c4 as c1, 
  subq_0.c1 as c2, 
  subq_0.c0 as c3, 
  subq_0.c1 as c4, 
  subq_0.c2 as c5, 
  subq_0.c4 as c6, 
  subq_0.c2 as c7
from 
  (select  
        sample_0.product as c0, 
        sample_0.quantity as c1, 
        sample_0.product as c2, 
        sample_0.line as c3, 
        sample_0.product as c4
      from 
        public.item as sample_0 tablesample system (3.7) 
      where case when sample_0.quantity is not NULL then cast(null as box) else cast(null as box) end
           >^ pg_catalog.box(
          cast(cast(null as polygon) as polygon))
      limit 79) as subq_0
where subq_0.c4 !~~* subq_0.c0;
select  
  sample_0.customer_id as c0, 
  sample_0.note as c1, 
  sample_0.customer_id as c2, 
  sample_0.id as c3
from 
  public.orders as sample_0 tablesample bernoulli (5.2) 
where case when case when cast(nullif(cast(null as macaddr),
            cast(null as macaddr)) as macaddr) > cast(nullif(cast(null as macaddr),
            cast(null as macaddr)) as macaddr) then sample_0.note else sample_0.note end
         is not NULL then cast(null as anyarray) else cast(null as anyarray) end
     > pg_catalog.session_user()
limit 47;
select  
  
    pg_catalog.jsonb_agg_strict(
      cast(sample_0.city as text)) over (partition by sample_0.name order by sample_0.city) as c0, 
  sample_0.credit as c1
from 
  public.customer as sample_0 tablesample bernoulli (9.2) 
where case when sample_0.city is NULL then case when false then cast(null as point) else cast(null as point) end
       else case when false then cast(null as point) else cast(null as point) end
       end
     <> case when true then case when (cast(null as point) ?- cast(null as point)) 
        or (case when cast(null as box) && cast(null as box) then cast(null as int2) else cast(null as int2) end
             > sample_0.id) then cast(null as point) else cast(null as point) end
       else case when (cast(null as point) ?- cast(null as point)) 
        or (case when cast(null as box) && cast(null as box) then cast(null as int2) else cast(null as int2) end
             > sample_0.id) then cast(null as point) else cast(null as point) end
       end;
select  
  cast(coalesce(sample_0.total,
    sample_0.id) as int4) as c0
from 
  public.orders as sample_0 tablesample bernoulli (8.1) 
where pg_catalog.oidvectorin(
    cast(pg_catalog.timetz_out(
      cast(case when case when true then cast(null as anymultirange) else cast(null as anymultirange) end
             >> case when sample_0.note is not NULL then cast(null as anymultirange) else cast(null as anymultirange) end
             then cast(coalesce(cast(nullif(cast(null as timetz),
            cast(null as timetz)) as timetz),
          cast(null as timetz)) as timetz) else cast(coalesce(cast(nullif(cast(null as timetz),
            cast(null as timetz)) as timetz),
          cast(null as timetz)) as timetz) end
         as timetz)) as cstring)) >= cast(null as oidvector);
select  
  subq_1.c0 as c0, 
  subq_1.c0 as c1, 
  subq_1.c0 as c2, 
  subq_1.c0 as c3
from 
  (select  
        ref_1.day as c0
      from 
        public.spent as ref_0
            left join public.orders as ref_1
            on (cast(null as money) <= cast(null as money))
          right join public.orders as ref_2
            right join public.orders as sample_0 tablesample system (3.3) 
              inner join public.item as sample_1 tablesample system (9.2) 
              on (sample_1.price is not NULL)
            on (cast(null as "interval") <> cast(null as "interval"))
          on (cast(null as box) >= cast(null as box)),
        lateral (select  
              ref_4.id as c0, 
              ref_1.id as c1, 
              sample_1.price as c2, 
              ref_3.total as c3, 
              ref_2.total as c4, 
              ref_2.note as c5, 
              ref_4.total as c6, 
              sample_0.customer_id as c7
            from 
              public.spent as ref_3
                left join public.orders as ref_4
                on (cast(null as float4) < cast(null as float4))
            where ref_3.customer_id is not NULL
            limit 136) as subq_0
      where pg_catalog.jsonb_build_array() <> cast(null as jsonb)
      limit 124) as subq_1
where false;
select  
  sample_0.id as c0
from 
  public.customer as sample_0 tablesample system (0.8) 
where (cast(null as macaddr) <> cast(nullif(cast(null as macaddr),
      cast(null as macaddr)) as macaddr)) 
  and ((pg_catalog.timeofday() ~* sample_0.name) 
    or (cast(null as jsonb) @@ cast(null as jsonpath)))
limit 46;
select  
  ref_1.note as c0, 
  33 as c1, 
  pg_catalog.pg_get_wal_replay_pause_state() as c2, 
  (select quantity from public.item limit 1 offset 4)
     as c3, 
  pg_catalog.tsmultirange() as c4, 
  ref_1.total as c5, 
  ref_0.product as c6, 
  ref_1.id as c7, 
  ref_1.total as c8, 
  ref_0.line as c9, 
  ref_0.price as c10, 
  (select id from public.orders limit 1 offset 3)
     as c11, 
  ref_1.day as c12, 
  ref_1.day as c13, 
  ref_0.product as c14, 
  ref_1.day as c15
from 
  public.item as ref_0
    inner join public.orders as ref_1
    on (true)
where ref_0.price is NULL;
select  
  subq_0.c1 as c0, 
  subq_0.c0 as c1
from 
  (select  
        sample_0.city as c0, 
        sample_0.city as c1
      from 
        public.customer as sample_0 tablesample system (7.5) 
      where cast(nullif(cast(null as circle),
          case when cast(null as anyarray) > cast(null as anyarray) then cast(null as circle) else cast(null as circle) end
            ) as circle) <@ case when sample_0.city is NULL then pg_catalog.circle_div_pt(
            cast(cast(null as circle) as circle),
            cast(cast(null as point) as point)) else pg_catalog.circle_div_pt(
            cast(cast(null as circle) as circle),
            cast(cast(null as point) as point)) end
          
      limit 77) as subq_0
where true
limit 99;
select  
  pg_catalog.quote_nullable(
    cast(sample_0.customer_id as int4)) as c0, 
  sample_0.note as c1, 
  sample_0.total as c2
from 
  public.orders as sample_0 tablesample system (9.7) 
where cast(null as int2) <= case when case when (false) 
          or (cast(null as record) = cast(null as record)) then case when false then cast(null as int2) else cast(null as int2) end
           else case when false then cast(null as int2) else cast(null as int2) end
           end
         > sample_0.customer_id then cast(nullif(case when (sample_0.note <= cast(null as name)) 
          and (sample_0.customer_id is NULL) then (select pg_catalog.bit_or(orders) from public.spent)
           else (select pg_catalog.bit_or(orders) from public.spent)
           end
        ,
      pg_catalog.pg_stat_get_buf_alloc()) as int8) else cast(nullif(case when (sample_0.note <= cast(null as name)) 
          and (sample_0.customer_id is NULL) then (select pg_catalog.bit_or(orders) from public.spent)
           else (select pg_catalog.bit_or(orders) from public.spent)
           end
        ,
      pg_catalog.pg_stat_get_buf_alloc()) as int8) end
    
limit 116;
select  
  48 as c0
from 
  public.orders as ref_0
where ref_0.customer_id is NULL;
select  
  subq_1.c0 as c0, 
  subq_1.c0 as c1
from 
  (select  
          sample_0.day as c0, 
          sample_0.id as c1, 
          sample_0.day as c2
        from 
          public.orders as sample_0 tablesample system (9) 
        where sample_0.note is NULL
        limit 34) as subq_0
    left join (select  
          (select order_id from public.item limit 1 offset 4)
             as c0, 
          sample_1.id as c1
        from 
          public.orders as sample_1 tablesample system (5.3) 
            inner join public.item as ref_0
            on (cast(null as "timestamp") <> cast(null as date))
        where ((cast(null as point) ?| cast(null as point)) 
            and (sample_1.customer_id is not NULL)) 
          and (cast(null as tid) <= cast(null as tid))
        limit 174) as subq_1
    on ((false) 
        and ((cast(null as anymultirange) <@ cast(null as anyrange)) 
          and (cast(null as path) @> cast(null as point))))
where false
limit 130;
select  
  ref_0.orders as c0
from 
  public.spent as ref_0
where cast(nullif(pg_catalog.inet_server_addr(),
    pg_catalog.inet_server_addr()) as inet) <<= pg_catalog.inet_server_addr();
select  
  cast(nullif(ref_0.customer_id,
    (select order_id from public.item limit 1 offset 62)
      ) as int4) as c0, 
  ref_0.total as c1
from 
  public.spent as ref_0
    right join public.item as sample_0 tablesample system (0.2) 
    on ((ref_0.total is NULL) 
        or (ref_0.orders is NULL))
where pg_catalog.pg_stat_get_bgwriter_buf_written_checkpoints() <> pg_catalog.lo_unlink(
    cast(pg_catalog.lo_from_bytea(
      cast(cast(coalesce(pg_catalog.pg_relation_filenode(
          cast(pg_catalog.regclass(
            cast(sample_0.product as text)) as regclass)),
        case when EXISTS (
            select  
                (select orders from public.spent limit 1 offset 5)
                   as c0, 
                sample_0.price as c1, 
                sample_0.price as c2, 
                ref_0.total as c3
              from 
                public.orders as ref_1
              where ref_0.total is NULL
              limit 89) then pg_catalog.pg_replication_origin_create(
            cast(sample_0.product as text)) else pg_catalog.pg_replication_origin_create(
            cast(sample_0.product as text)) end
          ) as oid) as oid),
      cast(cast(coalesce(case when true then cast(null as bytea) else cast(null as bytea) end
          ,
        pg_catalog.sha256(
          cast(cast(null as bytea) as bytea))) as bytea) as bytea)) as oid))
limit 154;
select  
  subq_0.c0 as c0
from 
  (select  
        ref_0.customer_id as c0, 
        ref_0.orders as c1, 
        
          pg_catalog.max(
            cast(cast(null as anyenum) as anyenum)) over (partition by ref_0.customer_id,ref_0.customer_id order by ref_0.customer_id,ref_0.total) as c2
      from 
        public.spent as ref_0
      where pg_catalog.current_query() >= pg_catalog.pg_client_encoding()
      limit 103) as subq_0
where false
limit 88;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1
from 
  (select  
        ref_0.customer_id as c0
      from 
        public.orders as ref_0
      where ((select orders from public.spent limit 1 offset 62)
             > (select pg_catalog.bit_or(orders) from public.spent)
            ) 
        or (ref_0.customer_id is not NULL)
      limit 76) as subq_0
where subq_0.c0 is not NULL
limit 74;
select  
  (select id from public.customer limit 1 offset 1)
     as c0
from 
  (select  
        sample_0.quantity as c0, 
        sample_0.quantity as c1, 
        sample_0.product as c2, 
        sample_0.line as c3
      from 
        public.item as sample_0 tablesample system (1.9) 
      where sample_0.quantity is not NULL) as subq_0
where false;
select  
  pg_catalog.pg_export_snapshot() as c0
from 
  public.spent as ref_0
where case when pg_catalog.pg_postmaster_start_time() > pg_catalog.date_larger(
        cast(case when ref_0.customer_id is NULL then pg_catalog.date(
            cast(cast(null as "timestamp") as "timestamp")) else pg_catalog.date(
            cast(cast(null as "timestamp") as "timestamp")) end
           as date),
        cast(cast(coalesce(case when (select orders from public.spent limit 1 offset 1)
                 >= cast(null as int2) then cast(null as date) else cast(null as date) end
            ,
          cast(null as date)) as date) as date)) then pg_catalog.pg_get_wal_replay_pause_state() else pg_catalog.pg_get_wal_replay_pause_state() end
     ~* pg_catalog.pg_get_viewdef(
    cast(cast(null as text) as text))
limit 115;
select  
  pg_catalog.pg_postmaster_start_time() as c0, 
  (select city from public.customer limit 1 offset 44)
     as c1, 
  (select total from public.spent limit 1 offset 4)
     as c2
from 
  (select  
        ref_0.total as c0
      from 
        public.spent as ref_0
      where false
      limit 122) as subq_0
where pg_catalog.pg_stat_get_checkpoint_sync_time() <> cast(null as float4)
limit 157;
select  
  sample_0.day as c0
from 
  public.orders as sample_0 tablesample bernoulli (6.3) 
where sample_0.day is not NULL;
select  
  ref_0.price as c0, 
  pg_catalog.pg_read_binary_file(
    cast(ref_0.product as text),
    cast(pg_catalog.pg_stat_get_buf_alloc() as int8),
    cast((select orders from public.spent limit 1 offset 6)
       as int8),
    cast(pg_catalog.int4ne(
      cast((select customer_id from public.spent limit 1 offset 1)
         as int4),
      cast((select id from public.orders limit 1 offset 3)
         as int4)) as bool)) as c1, 
  cast(coalesce(ref_0.quantity,
    ref_0.line) as int4) as c2, 
  ref_0.line as c3, 
  ref_0.order_id as c4, 
  ref_0.order_id as c5, 
  ref_0.line as c6, 
  ref_0.line as c7
from 
  public.item as ref_0
where cast(nullif(cast(null as anyrange),
    case when (cast(null as tid) > cast(nullif(cast(null as tid),
            cast(null as tid)) as tid)) 
        or (case when cast(null as anyrange) &< cast(null as anymultirange) then cast(null as box) else cast(null as box) end
             << cast(coalesce(cast(null as box),
            cast(null as box)) as box)) then cast(null as anyrange) else cast(null as anyrange) end
      ) as anyrange) >> cast(null as anymultirange)
limit 103;
select  
  (select credit from public.customer limit 1 offset 2)
     as c0
from 
  (select  
        ref_0.quantity as c0, 
        pg_catalog.pg_export_snapshot() as c1, 
        
          pg_catalog.min(
            cast(ref_0.product as text)) over (partition by ref_0.quantity order by ref_0.order_id) as c2, 
        ref_0.price as c3, 
        (select city from public.customer limit 1 offset 2)
           as c4, 
        ref_0.line as c5, 
        ref_0.quantity as c6
      from 
        public.item as ref_0
      where case when cast(null as money) >= cast(null as money) then case when false then cast(null as macaddr8) else cast(null as macaddr8) end
             else case when false then cast(null as macaddr8) else cast(null as macaddr8) end
             end
           <= pg_catalog.macaddr8_or(
          cast(case when ((cast(null as "numeric") = cast(null as "numeric")) 
                and (true)) 
              or ((cast(null as "time") >= cast(null as "time")) 
                and (false)) then cast(null as macaddr8) else cast(null as macaddr8) end
             as macaddr8),
          cast(cast(null as macaddr8) as macaddr8))
      limit 59) as subq_0
where false
limit 128;
select  
  subq_0.c0 as c0, 
  pg_catalog.int4gt(
    cast(pg_catalog.pg_backend_pid() as int4),
    cast(
      pg_catalog.max(
        cast((select order_id from public.item limit 1 offset 2)
           as int4)) over (partition by subq_0.c1 order by subq_0.c1,subq_0.c0) as int4)) as c1, 
  
    pg_catalog.bit_and(
      cast(cast(null as "bit") as "bit")) over (partition by subq_0.c1,subq_0.c1 order by subq_0.c1,subq_0.c1) as c2, 
  pg_catalog.pg_stat_get_buf_written_backend() as c3, 
  subq_0.c0 as c4, 
  (select product from public.item limit 1 offset 1)
     as c5, 
  subq_0.c1 as c6, 
  subq_0.c0 as c7
from 
  (select  
        ref_0.customer_id as c0, 
        ref_0.customer_id as c1
      from 
        public.orders as ref_0
      where pg_catalog.pg_my_temp_schema() = case when cast(null as "timestamp") <> cast(null as "timestamp") then cast(null as oid) else cast(null as oid) end
          
      limit 81) as subq_0
where subq_0.c1 is not NULL
limit 128;
select  
  pg_catalog.ts_rank(
    cast(cast(null as tsvector) as tsvector),
    cast(pg_catalog.to_tsquery(
      cast(cast(nullif(cast(null as regconfig),
        pg_catalog.get_current_ts_config()) as regconfig) as regconfig),
      cast(ref_0.city as text)) as tsquery),
    cast(ref_0.credit as int4)) as c0, 
  ref_0.id as c1, 
  case when ref_0.city is not NULL then pg_catalog.ishorizontal(
      cast(cast(null as lseg) as lseg)) else pg_catalog.ishorizontal(
      cast(cast(null as lseg) as lseg)) end
     as c2, 
  (select line from public.item limit 1 offset 3)
     as c3, 
  ref_0.name as c4, 
  ref_0.credit as c5, 
  cast(coalesce(ref_0.name,
    ref_0.name) as text) as c6, 
  ref_0.name as c7, 
  ref_0.id as c8, 
  ref_0.name as c9, 
  ref_0.credit as c10, 
  cast(nullif(ref_0.name,
    ref_0.city) as text) as c11, 
  cast(nullif(ref_0.city,
    ref_0.name) as text) as c12, 
  pg_catalog.pg_current_wal_insert_lsn() as c13, 
  cast(nullif(ref_0.id,
    ref_0.credit) as int4) as c14
from 
  public.customer as ref_0
where (case when ref_0.city is not NULL then cast(null as anyrange) else cast(null as anyrange) end
       -|- cast(nullif(pg_catalog.int4multirange(),
      pg_catalog.nummultirange()) as anymultirange)) 
  and (ref_0.id is NULL)
limit 89;
select  
  subq_0.c3 as c0, 
  subq_0.c3 as c1
from 
  (select  
        sample_1.city as c0, 
        sample_0.quantity as c1, 
        sample_1.city as c2, 
        sample_1.credit as c3, 
        sample_1.credit as c4
      from 
        public.item as sample_0 tablesample bernoulli (2.2) 
          left join public.customer as sample_1 tablesample system (3.5) 
          on (cast(null as float4) < cast(null as float8))
      where (sample_1.credit is not NULL) 
        and (true <= true)
      limit 193) as subq_0
where cast(null as box) &<| cast(null as box);
select  
  21 as c0, 
  case when cast(nullif(cast(null as box),
        cast(coalesce(pg_catalog.box(
            cast(cast(null as circle) as circle)),
          cast(null as box)) as box)) as box) && case when cast(null as point) <@ cast(null as polygon) then cast(null as box) else cast(null as box) end
         then ref_0.quantity else ref_0.quantity end
     as c1, 
  ref_0.price as c2
from 
  public.item as ref_0
where pg_catalog.getpgusername() <@ pg_catalog.box(
    cast(cast(null as point) as point));
select  
  subq_0.c0 as c0
from 
  (select  
        ref_0.orders as c0
      from 
        public.spent as ref_0
      where cast(null as point) ~= cast(null as point)) as subq_0
where case when pg_catalog.getpgusername() !~~ cast(nullif(cast(nullif((select product from public.item limit 1 offset 4)
            ,
          (select name from public.customer limit 1 offset 5)
            ) as text),
        cast(null as text)) as text) then cast(null as "timestamp") else cast(null as "timestamp") end
     >= cast(null as timestamptz);
select  
  sample_0.credit as c0
from 
  public.customer as sample_0 tablesample system (4.4) 
where pg_catalog.point(
    cast(case when (select line from public.item limit 1 offset 2)
           is not NULL then pg_catalog.pg_notification_queue_usage() else pg_catalog.pg_notification_queue_usage() end
       as float8),
    cast(pg_catalog.pi() as float8)) <<| cast(null as point);
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  pg_catalog.jsonb_build_array() as c2
from 
  (select  
        ref_1.total as c0
      from 
        public.orders as sample_0 tablesample system (10) 
            inner join public.customer as ref_0
            on (sample_0.day = ref_0.id )
          left join public.spent as ref_1
          on (cast(null as tid) < cast(null as tid))
      where pg_catalog.regexp_match(
          cast(sample_0.note as text),
          cast(sample_0.note as text)) <@ pg_catalog.current_schema()
      limit 124) as subq_0
where subq_0.c0 is not NULL;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  pg_catalog.pg_control_recovery() as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4, 
  subq_0.c0 as c5, 
  subq_0.c0 as c6
from 
  (select  
        ref_0.quantity as c0
      from 
        public.item as ref_0
      where true
      limit 126) as subq_0
where cast(null as point) << case when true then cast(null as point) else cast(null as point) end;
select  
  sample_0.id as c0
from 
  public.customer as sample_0 tablesample system (0.4) 
where cast(coalesce(cast(coalesce(cast(null as bpchar),
      pg_catalog.bpchar_smaller(
        cast(case when cast(null as oid) > cast(null as oid) then cast(null as bpchar) else cast(null as bpchar) end
           as bpchar),
        cast(cast(null as bpchar) as bpchar))) as bpchar),
    pg_catalog.bpchar(
      cast(cast(coalesce(case when cast(null as int8) <> cast(null as int8) then case when sample_0.credit is not NULL then cast(null as bpchar) else cast(null as bpchar) end
             else case when sample_0.credit is not NULL then cast(null as bpchar) else cast(null as bpchar) end
             end
          ,
        cast(null as bpchar)) as bpchar) as bpchar),
      cast(sample_0.credit as int4),
      cast(true as bool))) as bpchar) !~ sample_0.name
limit 57;
select  
  subq_0.c6 as c0, 
  subq_0.c6 as c1, 
  subq_0.c1 as c2
from 
  (select  
        sample_0.name as c0, 
        sample_0.city as c1, 
        sample_0.id as c2, 
        sample_0.credit as c3, 
        sample_0.city as c4, 
        sample_0.name as c5, 
        (select note from public.orders limit 1 offset 6)
           as c6, 
        sample_0.city as c7, 
        (select customer_id from public.orders limit 1 offset 2)
           as c8, 
        sample_0.name as c9
      from 
        public.customer as sample_0 tablesample system (6.8) 
      where sample_0.id is not NULL
      limit 92) as subq_0
where case when pg_catalog.getpgusername() && cast(null as anyarray) then subq_0.c6 else subq_0.c6 end
     is not NULL;
select  
  sample_0.customer_id as c0
from 
  public.orders as sample_0 tablesample system (4.7) 
where cast(nullif(cast(null as oidvector),
    pg_catalog.oidvectorin(
      cast(cast(coalesce(cast(null as cstring),
        cast(null as cstring)) as cstring) as cstring))) as oidvector) < cast(nullif(cast(coalesce(case when (true) 
          or (true) then cast(null as oidvector) else cast(null as oidvector) end
        ,
      cast(null as oidvector)) as oidvector),
    pg_catalog.oidvectorin(
      cast(pg_catalog.shell_out(
        cast(cast(null as void) as void)) as cstring))) as oidvector);
select  
  (select quantity from public.item limit 1 offset 4)
     as c0, 
  ref_0.note as c1, 
  ref_0.customer_id as c2, 
  (select line from public.item limit 1 offset 5)
     as c3, 
  cast(coalesce(pg_catalog.pg_current_wal_lsn(),
    cast(null as pg_lsn)) as pg_lsn) as c4, 
  ref_0.customer_id as c5
from 
  public.orders as ref_0
where true <> pg_catalog.pg_is_in_recovery();
select  
  pg_catalog.pg_switch_wal() as c0, 
  subq_0.c1 as c1, 
  subq_0.c1 as c2, 
  sample_1.customer_id as c3, 
  sample_0.credit as c4
from 
  public.spent as ref_0
    inner join public.customer as sample_0 tablesample bernoulli (1.9) 
        inner join public.item as ref_1
          inner join public.orders as sample_1 tablesample system (0.8) 
          on (ref_1.product = sample_1.note )
        on (cast(null as bpchar) ~<=~ cast(null as bpchar))
      inner join (select  
            ref_2.total as c0, 
            ref_2.customer_id as c1
          from 
            public.spent as ref_2
          where ref_2.customer_id is not NULL
          limit 36) as subq_0
      on (sample_1.day = subq_0.c1 )
    on (cast(null as polygon) |>> pg_catalog.poly_in(
          cast(cast(nullif(cast(null as cstring),
            cast(null as cstring)) as cstring) as cstring)))
where false;
select  
  
    pg_catalog.stddev(
      cast(cast(null as int2) as int2)) over (partition by sample_0.name,sample_0.city order by ref_0.customer_id) as c0, 
  ref_0.note as c1
from 
  public.customer as sample_0 tablesample system (8) 
    right join public.orders as ref_0
    on (true)
where cast(null as float4) = cast(nullif(cast(null as float4),
    cast(nullif(cast(null as float4),
      pg_catalog.float4(
        cast(cast(null as float8) as float8))) as float4)) as float4)
limit 60;
select  
  case when ref_1.note ~>=~ ref_0.product then sample_0.note else sample_0.note end
     as c0, 
  ref_0.line as c1, 
  sample_0.total as c2, 
  cast(nullif(pg_catalog.inet_client_port(),
    ref_0.order_id) as int4) as c3, 
  pg_catalog.json_build_array() as c4
from 
  public.orders as sample_0 tablesample system (0.7) 
    inner join public.item as ref_0
      inner join public.orders as ref_1
      on (cast(null as "timestamp") <> case when ((cast(null as anyarray) && cast(null as anyarray)) 
                or (cast(null as float4) <> cast(null as float4))) 
              or (cast(null as tsvector) < cast(null as tsvector)) then cast(null as timestamptz) else cast(null as timestamptz) end
            )
    on (ref_1.total is not NULL)
where (true) 
  and (cast(null as anymultirange) @> pg_catalog.tsmultirange());
select  
  (select price from public.item limit 1 offset 3)
     as c0
from 
  (select  
        pg_catalog.int4gt(
          cast(ref_0.customer_id as int4),
          cast(ref_0.customer_id as int4)) as c0
      from 
        public.spent as ref_0
      where ref_0.customer_id > ref_0.customer_id
      limit 14) as subq_0
where subq_0.c0 is NULL;
select  
  ref_0.name as c0, 
  pg_catalog.int4multirange() as c1, 
  subq_0.c1 as c2
from 
  public.customer as ref_0
      inner join public.item as sample_0 tablesample bernoulli (4.6) 
      on (ref_0.city = sample_0.product )
    right join (select  
          ref_1.customer_id as c0, 
          (select orders from public.spent limit 1 offset 69)
             as c1, 
          ref_1.customer_id as c2, 
          ref_1.customer_id as c3, 
          ref_1.id as c4
        from 
          public.orders as ref_1
        where cast(null as float8) = cast(null as float8)) as subq_0
    on (ref_0.id = subq_0.c0 )
where ((EXISTS (
      select  
          ref_0.credit as c0
        from 
          public.item as ref_2
        where cast(null as anymultirange) @> subq_0.c4)) 
    or (cast(null as int8) >= case when cast(null as bytea) <> cast(null as bytea) then case when subq_0.c4 is NULL then cast(null as int2) else cast(null as int2) end
           else case when subq_0.c4 is NULL then cast(null as int2) else cast(null as int2) end
           end
        )) 
  or ((pg_catalog.timestamp(
        cast(cast(null as "timestamp") as "timestamp"),
        cast(sample_0.order_id as int4)) = pg_catalog.to_timestamp(
        cast(cast(null as float8) as float8))) 
    or (ref_0.id is not NULL))
limit 27;
select  
  cast(nullif(subq_0.c0,
    subq_0.c0) as int4) as c0, 
  pg_catalog.pg_is_in_recovery() as c1, 
  subq_0.c0 as c2, 
  
    pg_catalog.max(
      cast(cast(null as "timestamp") as "timestamp")) over (partition by subq_0.c0 order by subq_0.c0,subq_0.c0) as c3
from 
  (select  
        ref_0.customer_id as c0
      from 
        public.spent as ref_0
      where ref_0.total is NULL
      limit 58) as subq_0
where cast(null as date) >= pg_catalog.interval_pl_date(
    cast(cast(null as "interval") as "interval"),
    cast(case when 34 = subq_0.c0 then case when subq_0.c0 <> cast(null as int2) then cast(coalesce(cast(null as date),
          cast(null as date)) as date) else cast(coalesce(cast(null as date),
          cast(null as date)) as date) end
         else case when subq_0.c0 <> cast(null as int2) then cast(coalesce(cast(null as date),
          cast(null as date)) as date) else cast(coalesce(cast(null as date),
          cast(null as date)) as date) end
         end
       as date))
limit 140;
select  
  subq_1.c0 as c0, 
  subq_1.c0 as c1, 
  subq_1.c0 as c2, 
  subq_1.c0 as c3, 
  subq_1.c0 as c4, 
  subq_1.c0 as c5, 
  subq_1.c0 as c6, 
  (select customer_id from public.spent limit 1 offset 3)
     as c7, 
  subq_1.c0 as c8
from 
  (select  
        subq_0.c4 as c0
      from 
        (select  
              32 as c0, 
              87 as c1, 
              sample_0.id as c2, 
              sample_0.city as c3, 
              sample_0.id as c4, 
              sample_0.name as c5
            from 
              public.customer as sample_0 tablesample bernoulli (3.3) 
            where true) as subq_0
      where (true) 
        or (true)) as subq_1
where subq_1.c0 is not NULL
limit 147;
select  
  subq_2.c1 as c0
from 
  (select  
        sample_0.id as c0, 
        subq_0.c0 as c1, 
        subq_0.c0 as c2, 
        sample_0.credit as c3, 
        subq_1.c0 as c4, 
        sample_0.credit as c5, 
        subq_0.c0 as c6, 
        subq_0.c0 as c7, 
        subq_1.c0 as c8, 
        sample_0.credit as c9, 
        subq_1.c6 as c10
      from 
        public.customer as sample_0 tablesample system (2.1) ,
        lateral (select  
              ref_0.quantity as c0
            from 
              public.item as ref_0
            where (select product from public.item limit 1 offset 2)
                 is NULL
            limit 170) as subq_0,
        lateral (select  
              sample_0.name as c0, 
              sample_1.order_id as c1, 
              ref_2.id as c2, 
              subq_0.c0 as c3, 
              sample_0.name as c4, 
              sample_1.quantity as c5, 
              ref_2.name as c6
            from 
              public.orders as ref_1
                  left join public.customer as ref_2
                  on (false)
                inner join public.item as sample_1 tablesample bernoulli (0.8) 
                on (ref_2.name = sample_1.product )
            where cast(null as tid) > cast(null as tid)
            limit 40) as subq_1
      where subq_1.c5 is NULL
      limit 102) as subq_2
where true
limit 149;
select  
  ref_0.id as c0
from 
  public.customer as ref_0
where cast(null as box) < cast(coalesce(cast(null as box),
    pg_catalog.box(
      cast(case when ref_0.id is not NULL then pg_catalog.lseg_interpt(
          cast(case when ref_0.name is not NULL then cast(null as lseg) else cast(null as lseg) end
             as lseg),
          cast(cast(coalesce(cast(null as lseg),
            cast(null as lseg)) as lseg) as lseg)) else pg_catalog.lseg_interpt(
          cast(case when ref_0.name is not NULL then cast(null as lseg) else cast(null as lseg) end
             as lseg),
          cast(cast(coalesce(cast(null as lseg),
            cast(null as lseg)) as lseg) as lseg)) end
         as point))) as box)
limit 77;
select  
  5 as c0, 
  pg_catalog.pg_conf_load_time() as c1, 
  sample_0.price as c2, 
  sample_0.quantity as c3, 
  sample_0.price as c4, 
  sample_0.quantity as c5, 
  sample_0.quantity as c6, 
  sample_0.line as c7, 
  sample_0.quantity as c8, 
  sample_0.order_id as c9, 
  sample_0.line as c10
from 
  public.item as sample_0 tablesample bernoulli (2.2) 
where false
limit 95;
select  
  
    pg_catalog.string_agg(
      cast(pg_catalog.range_send(
        cast(pg_catalog.int8range(
          cast((select orders from public.spent limit 1 offset 5)
             as int8),
          cast(pg_catalog.pg_stat_get_bgwriter_maxwritten_clean() as int8),
          cast(ref_0.note as text)) as anyrange)) as bytea),
      cast(pg_catalog.point_send(
        cast(cast(null as point) as point)) as bytea)) over (partition by ref_0.total order by ref_0.customer_id) as c0
from 
  public.orders as ref_0
where cast(null as macaddr8) >= cast(null as macaddr8)
limit 161;
select  
  sample_0.credit as c0, 
  sample_0.city as c1
from 
  public.customer as sample_0 tablesample system (5) 
where EXISTS (
  select  
      sample_1.order_id as c0, 
      sample_1.order_id as c1, 
      cast(coalesce(sample_0.credit,
        sample_1.order_id) as int4) as c2, 
      sample_1.quantity as c3, 
      sample_0.city as c4
    from 
      public.item as sample_1 tablesample bernoulli (2.5) 
    where EXISTS (
      select  
          sample_0.credit as c0, 
          ref_0.customer_id as c1
        from 
          public.spent as ref_0
        where case when cast(null as int2) <= cast(null as int2) then cast(null as tid) else cast(null as tid) end
             > pg_catalog.tidsmaller(
            cast(cast(null as tid) as tid),
            cast(cast(null as tid) as tid)))
    limit 99)
limit 133;
select  
  subq_0.c2 as c0, 
  subq_0.c2 as c1
from 
  (select  
        sample_0.id as c0, 
        sample_0.name as c1, 
        (select pg_catalog.stddev_samp(orders) from public.spent)
           as c2, 
        sample_0.name as c3, 
        sample_0.id as c4
      from 
        public.customer as sample_0 tablesample bernoulli (0.5) 
      where case when cast(null as anyarray) <@ cast(null as anyarray) then cast(null as box) else cast(null as box) end
           ~= cast(coalesce(cast(nullif(cast(null as box),
            cast(null as box)) as box),
          cast(nullif(cast(null as box),
            cast(null as box)) as box)) as box)
      limit 71) as subq_0
where true
limit 109;
select  
  subq_1.c0 as c0, 
  subq_1.c0 as c1, 
  subq_1.c7 as c2, 
  subq_1.c3 as c3, 
  
    pg_catalog.stddev_pop(
      cast(case when cast(null as macaddr8) >= pg_catalog.macaddr8_in(
            cast(cast(null as cstring) as cstring)) then pg_catalog.random() else pg_catalog.random() end
         as float8)) over (partition by subq_1.c7 order by subq_1.c3,subq_1.c1) as c4, 
  subq_1.c1 as c5, 
  subq_1.c5 as c6, 
  subq_1.c3 as c7
from 
  (select  
        sample_0.id as c0, 
        subq_0.c3 as c1, 
        ref_0.price as c2, 
        sample_0.credit as c3, 
        subq_0.c1 as c4, 
        ref_0.product as c5, 
        sample_0.credit as c6, 
        subq_0.c3 as c7
      from 
        public.item as ref_0
          inner join public.customer as sample_0 tablesample bernoulli (1.8) 
          on (cast(null as anymultirange) << cast(null as anymultirange)),
        lateral (select  
              sample_0.name as c0, 
              sample_0.city as c1, 
              ref_0.price as c2, 
              ref_0.order_id as c3
            from 
              public.orders as sample_1 tablesample system (0.9) 
            where cast(null as "timestamp") >= cast(null as date)) as subq_0
      where ref_0.price < pg_catalog.xid8cmp(
          cast(cast(null as xid8) as xid8),
          cast(cast(null as xid8) as xid8))
      limit 120) as subq_1
where subq_1.c0 is NULL;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1
from 
  (select  
        sample_0.id as c0
      from 
        public.orders as sample_0 tablesample system (7.4) 
      where true
      limit 88) as subq_0
where pg_catalog.datemultirange() >> pg_catalog.tsmultirange();
select  
  ref_0.day as c0, 
  ref_0.note as c1
from 
  public.orders as ref_0
where EXISTS (
  select  
      ref_0.customer_id as c0, 
      sample_1.note as c1, 
      ref_1.customer_id as c2
    from 
      public.orders as sample_0 tablesample bernoulli (3.5) 
              inner join public.spent as ref_1
              on (sample_0.total = ref_1.customer_id )
            right join public.orders as sample_1 tablesample system (0.8) 
              left join public.orders as ref_2
              on (cast(null as lseg) = cast(null as lseg))
            on (cast(null as float8) >= cast(null as float8))
          left join public.customer as ref_3
          on (ref_2.id = ref_3.id )
        inner join public.customer as sample_2 tablesample system (8.7) 
        on (((sample_2.credit is not NULL) 
              or (cast(null as name) > ref_3.city)) 
            or (false))
    where pg_catalog.getdatabaseencoding() !~ ref_3.city
    limit 81)
limit 104;
select  
  ref_0.customer_id as c0, 
  88 as c1, 
  ref_0.total as c2, 
  sample_0.customer_id as c3
from 
  public.orders as sample_0 tablesample system (1.5) 
    inner join public.customer as sample_1 tablesample bernoulli (9.5) 
      right join public.orders as ref_0
      on (sample_1.city = ref_0.note )
    on (cast(nullif(cast(null as bpchar),
          cast(null as bpchar)) as bpchar) <= cast(null as bpchar))
where case when cast(null as "bit") = pg_catalog.set_bit(
        cast(cast(null as "bit") as "bit"),
        cast(sample_0.day as int4),
        cast(sample_0.total as int4)) then cast(coalesce(sample_0.id,
      ref_0.id) as int4) else cast(coalesce(sample_0.id,
      ref_0.id) as int4) end
     is NULL
limit 150;
select  
  ref_0.name as c0
from 
  public.customer as ref_0
where cast(coalesce(pg_catalog.pg_stat_get_buf_alloc(),
    pg_catalog.pg_stat_get_bgwriter_buf_written_checkpoints()) as int8) <= pg_catalog.pg_stat_get_bgwriter_requested_checkpoints()
limit 85;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1
from 
  (select  
        sample_0.city as c0, 
        ref_0.customer_id as c1
      from 
        public.customer as sample_0 tablesample bernoulli (5.7) 
          right join public.spent as ref_0
          on (false)
      where false
      limit 147) as subq_0
where pg_catalog.inet_client_addr() >= cast(null as inet)
limit 53;
select  
  sample_0.id as c0, 
  sample_0.city as c1, 
  sample_0.credit as c2, 
  sample_0.city as c3, 
  sample_0.id as c4, 
  sample_0.city as c5, 
  sample_0.id as c6, 
  pg_catalog.tand(
    cast(pg_catalog.pg_stat_get_checkpoint_sync_time() as float8)) as c7, 
  sample_0.city as c8, 
  sample_0.id as c9, 
  sample_0.id as c10, 
  sample_0.city as c11, 
  sample_0.name as c12, 
  case when 
        pg_catalog.min(
          cast(case when (cast(null as "timestamp") <= cast(null as timestamptz)) 
              and (false) then cast(null as timestamptz) else cast(null as timestamptz) end
             as timestamptz)) over (partition by sample_0.city,sample_0.city order by sample_0.id) <> cast(null as "timestamp") then 85 else 85 end
     as c13, 
  (select product from public.item limit 1 offset 4)
     as c14
from 
  public.customer as sample_0 tablesample system (3.7) 
where (select orders from public.spent limit 1 offset 1)
     is NULL
limit 62;
select  
  subq_1.c3 as c0
from 
  (select  
        sample_0.customer_id as c0, 
        sample_0.total as c1, 
        sample_0.total as c2, 
        sample_0.customer_id as c3, 
        sample_0.note as c4, 
        sample_0.note as c5, 
        sample_0.customer_id as c6
      from 
        public.orders as sample_0 tablesample bernoulli (0.1) 
      where cast(nullif(sample_0.id,
          sample_0.customer_id) as int4) is NULL
      limit 146) as subq_0,
  lateral (select  
        sample_1.total as c0, 
        ref_0.orders as c1, 
        (select customer_id from public.spent limit 1 offset 4)
           as c2, 
        ref_1.id as c3, 
        ref_0.orders as c4, 
        ref_0.orders as c5, 
        pg_catalog.pg_control_recovery() as c6
      from 
        public.orders as sample_1 tablesample system (5.5) 
            inner join public.spent as ref_0
            on (sample_1.total = ref_0.customer_id )
          inner join public.orders as ref_1
          on (ref_1.total <= cast(null as int2))
      where pg_catalog.gen_random_uuid() < cast(null as uuid)) as subq_1
where subq_0.c0 is not NULL;
select  
  (select id from public.customer limit 1 offset 4)
     as c0, 
  sample_0.total as c1, 
  pg_catalog.inet_server_addr() as c2, 
  sample_0.note as c3, 
  sample_0.customer_id as c4, 
  sample_0.note as c5, 
  sample_0.day as c6
from 
  public.orders as sample_0 tablesample system (6.6) 
where cast(null as int2) < sample_0.id;
select  
  ref_0.city as c0, 
  ref_0.id as c1, 
  pg_catalog.date(
    cast(pg_catalog.pg_conf_load_time() as timestamptz)) as c2, 
  cast(coalesce(53,
    ref_0.credit) as int4) as c3, 
  ref_0.name as c4, 
  71 as c5
from 
  public.customer as ref_0
where ref_0.name is not NULL;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  subq_0.c0 as c2, 
  subq_0.c0 as c3, 
  cast(nullif(subq_0.c0,
    subq_0.c0) as int4) as c4, 
  (select quantity from public.item limit 1 offset 3)
     as c5, 
  subq_0.c0 as c6, 
  subq_0.c0 as c7, 
  subq_0.c0 as c8, 
  subq_0.c0 as c9
from 
  (select  
        (select price from public.item limit 1 offset 2)
           as c0
      from 
        public.customer as sample_0 tablesample system (3.5) 
      where (EXISTS (
          select  
              sample_0.name as c0
            from 
              public.orders as ref_0
            where cast(null as bpchar) ~>~ cast(null as bpchar))) 
        and (cast(null as int2) > cast(null as int2))
      limit 145) as subq_0
where (case when cast(null as timestamptz) > case when cast(null as xid8) <> cast(null as xid8) then cast(null as date) else cast(null as date) end
           then cast(null as float4) else cast(null as float4) end
       <> pg_catalog.pg_stat_get_checkpoint_sync_time()) 
  or (cast(null as pg_lsn) = pg_catalog.pg_log_standby_snapshot());
select  
  subq_1.c3 as c0, 
  subq_1.c1 as c1, 
  subq_1.c1 as c2, 
  subq_1.c1 as c3
from 
  (select  
        subq_0.c5 as c0, 
        subq_0.c1 as c1, 
        subq_0.c3 as c2, 
        27 as c3
      from 
        (select  
              ref_0.city as c0, 
              (select line from public.item limit 1 offset 5)
                 as c1, 
              ref_0.city as c2, 
              (select customer_id from public.spent limit 1 offset 3)
                 as c3, 
              ref_0.id as c4, 
              (select id from public.orders limit 1 offset 1)
                 as c5
            from 
              public.customer as ref_0
            where cast(null as cid) = cast(null as cid)
            limit 71) as subq_0
      where subq_0.c5 is NULL) as subq_1
where true
limit 112;
select  
  
    pg_catalog.regr_avgx(
      cast(case when cast(null as circle) && case when cast(null as float4) > cast(null as float4) then cast(null as circle) else cast(null as circle) end
             then pg_catalog.pg_notification_queue_usage() else pg_catalog.pg_notification_queue_usage() end
         as float8),
      cast(pg_catalog.random() as float8)) over (partition by ref_0.day order by ref_0.note,ref_0.total) as c0, 
  ref_0.customer_id as c1, 
  ref_0.day as c2, 
  ref_0.customer_id as c3
from 
  public.orders as ref_0
where pg_catalog.bit(
    cast(ref_0.total as int4),
    cast(pg_catalog.btoidcmp(
      cast(case when ref_0.note is NULL then pg_catalog.pg_my_temp_schema() else pg_catalog.pg_my_temp_schema() end
         as oid),
      cast(pg_catalog.pg_my_temp_schema() as oid)) as int4)) < case when false then cast(coalesce(cast(null as "bit"),
      cast(nullif(cast(null as "bit"),
        pg_catalog.bitxor(
          cast(cast(null as "bit") as "bit"),
          cast(cast(null as "bit") as "bit"))) as "bit")) as "bit") else cast(coalesce(cast(null as "bit"),
      cast(nullif(cast(null as "bit"),
        pg_catalog.bitxor(
          cast(cast(null as "bit") as "bit"),
          cast(cast(null as "bit") as "bit"))) as "bit")) as "bit") end
    
limit 101;
select  
  subq_0.c1 as c0, 
  subq_0.c5 as c1, 
  subq_0.c3 as c2, 
  subq_0.c8 as c3, 
  subq_0.c8 as c4, 
  subq_0.c1 as c5, 
  subq_0.c11 as c6
from 
  (select  
        
          pg_catalog.stddev(
            cast(cast(null as float4) as float4)) over (partition by sample_0.city order by sample_0.city) as c0, 
        sample_0.city as c1, 
        pg_catalog.float4in(
          cast(cast(null as cstring) as cstring)) as c2, 
        sample_0.name as c3, 
        case when (false) 
            and (true) then sample_0.credit else sample_0.credit end
           as c4, 
        sample_0.name as c5, 
        sample_0.city as c6, 
        sample_0.credit as c7, 
        sample_0.name as c8, 
        sample_0.city as c9, 
        (select total from public.orders limit 1 offset 4)
           as c10, 
        92 as c11
      from 
        public.customer as sample_0 tablesample system (3.5) 
      where cast(null as point) <@ cast(null as lseg)
      limit 91) as subq_0
where pg_catalog.tstzrange(
    cast(pg_catalog.pg_last_xact_replay_timestamp() as timestamptz),
    cast(pg_catalog.statement_timestamp() as timestamptz),
    cast(subq_0.c8 as text)) <@ pg_catalog.datemultirange()
limit 133;
select  
  sample_0.customer_id as c0
from 
  public.orders as sample_0 tablesample bernoulli (1.6) 
where (sample_0.total is NULL) 
  or (sample_0.note ~~* sample_0.note)
limit 148;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  subq_0.c0 as c2
from 
  (select  
        sample_0.name as c0
      from 
        public.customer as sample_0 tablesample bernoulli (9) 
      where sample_0.name !~ sample_0.name) as subq_0
where EXISTS (
  select  
      sample_2.name as c0, 
      cast(coalesce(pg_catalog.dist_ps(
          cast(cast(null as point) as point),
          cast(cast(null as lseg) as lseg)),
        case when cast(null as timestamptz) > cast(null as timestamptz) then cast(null as float8) else cast(null as float8) end
          ) as float8) as c1
    from 
      public.orders as sample_1 tablesample bernoulli (3.3) 
        left join public.customer as sample_2 tablesample bernoulli (0.4) 
          left join public.customer as sample_3 tablesample bernoulli (1.5) 
          on (cast(null as lseg) <> cast(null as lseg))
        on (cast(null as bytea) ~~ cast(null as bytea))
    where sample_3.city is NULL);
select  
  sample_1.id as c0, 
  sample_1.credit as c1, 
  sample_0.credit as c2, 
  sample_0.name as c3, 
  sample_1.credit as c4
from 
  public.customer as sample_0 tablesample system (0.6) 
    inner join public.customer as sample_1 tablesample system (0.5) 
    on (pg_catalog.jsonb_path_query_first_tz(
          cast((select pg_catalog.jsonb_agg(id) from public.orders)
             as jsonb),
          cast(cast(null as jsonpath) as jsonpath),
          cast(pg_catalog.jsonb_build_object() as jsonb),
          cast(false as bool)) @@ pg_catalog.jsonpath_in(
          cast(cast(null as cstring) as cstring)))
where cast(null as date) > cast(null as "timestamp");
select  
  cast(coalesce(sample_0.total,
    sample_0.total) as int4) as c0
from 
  public.orders as sample_0 tablesample system (5.4) 
where (cast(nullif(pg_catalog.getpgusername(),
      case when ((select pg_catalog.array_agg(id) from public.customer)
               is NULL) 
          and ((cast(null as anyrange) &< cast(null as anyrange)) 
            or (false)) then cast(coalesce(pg_catalog.session_user(),
          cast(nullif(cast(null as name),
            cast(null as name)) as name)) as name) else cast(coalesce(pg_catalog.session_user(),
          cast(nullif(cast(null as name),
            cast(null as name)) as name)) as name) end
        ) as name) < sample_0.note) 
  or ((cast(null as date) > cast(nullif(cast(coalesce(pg_catalog.now(),
          cast(null as timestamptz)) as timestamptz),
        cast(null as timestamptz)) as timestamptz)) 
    and (cast(null as point) <<| cast(null as point)));
select  
  subq_1.c1 as c0, 
  subq_0.c1 as c1
from 
  (select  
            sample_0.note as c0, 
            (select pg_catalog.stddev_samp(id) from public.customer)
               as c1
          from 
            public.orders as sample_0 tablesample bernoulli (0.5) 
          where (cast(null as circle) &<| cast(null as circle)) 
            and (sample_0.id is NULL)
          limit 106) as subq_0
      left join public.customer as sample_1 tablesample system (3.1) 
      on (sample_1.id is NULL)
    inner join (select  
          ref_0.id as c0, 
          sample_2.order_id as c1
        from 
          public.item as sample_2 tablesample system (5.3) 
            right join public.customer as ref_0
            on (cast(null as varbit) <= cast(null as varbit))
        where EXISTS (
          select  
              sample_3.product as c0, 
              sample_3.line as c1
            from 
              public.item as sample_3 tablesample system (9.7) 
            where cast(null as path) ?# cast(null as path)
            limit 27)) as subq_1
    on ((cast(null as uuid) >= pg_catalog.gen_random_uuid()) 
        and (case when cast(null as circle) <> cast(null as circle) then cast(null as box) else cast(null as box) end
             <^ cast(null as box)))
where sample_1.city is NULL
limit 129;
select  
  pg_catalog.pg_stat_get_function_total_time(
    cast(pg_catalog.pg_my_temp_schema() as oid)) as c0
from 
  public.customer as ref_0
where (true) 
  or (cast(null as point) <> case when (((false) 
            or ((ref_0.city ^@ ref_0.name) 
              and (true))) 
          and (cast(null as int2) > (select orders from public.spent limit 1 offset 3)
              )) 
        or (cast(nullif(cast(null as anymultirange),
            cast(null as anymultirange)) as anymultirange) -|- pg_catalog.daterange_canonical(
            cast(cast(null as daterange) as daterange))) then pg_catalog.point(
        cast(case when ref_0.city is NULL then case when cast(null as "timestamp") < cast(null as "timestamp") then cast(null as box) else cast(null as box) end
             else case when cast(null as "timestamp") < cast(null as "timestamp") then cast(null as box) else cast(null as box) end
             end
           as box)) else pg_catalog.point(
        cast(case when ref_0.city is NULL then case when cast(null as "timestamp") < cast(null as "timestamp") then cast(null as box) else cast(null as box) end
             else case when cast(null as "timestamp") < cast(null as "timestamp") then cast(null as box) else cast(null as box) end
             end
           as box)) end
      );
select  
  sample_0.note as c0, 
  
    pg_catalog.max(
      cast(cast(null as bpchar) as bpchar)) over (partition by sample_0.customer_id order by sample_0.total,sample_0.day,sample_0.id) as c1
from 
  public.orders as sample_0 tablesample system (3.9) 
where (case when ((cast(null as money) >= cast(null as money)) 
          or (sample_0.note !~~* sample_0.note)) 
        and (sample_0.customer_id is NULL) then cast(null as "time") else cast(null as "time") end
       <> pg_catalog.time(
      cast(case when ((cast(null as anyrange) = cast(null as anyrange)) 
            and (72 is NULL)) 
          or (((cast(null as oid) <= cast(null as oid)) 
              or (cast(null as anyrange) <> cast(null as anyrange))) 
            and (sample_0.total is NULL)) then case when sample_0.note @@ sample_0.note then cast(null as "time") else cast(null as "time") end
           else case when sample_0.note @@ sample_0.note then cast(null as "time") else cast(null as "time") end
           end
         as "time"),
      cast(sample_0.id as int4))) 
  or ((cast(null as circle) |>> cast(null as circle)) 
    or (cast(null as tsvector) <= cast(null as tsvector)))
limit 125;
select  
  subq_0.c1 as c0, 
  subq_0.c0 as c1, 
  ref_0.quantity as c2, 
  ref_0.quantity as c3, 
  subq_1.c4 as c4, 
  ref_0.line as c5, 
  subq_1.c0 as c6, 
  subq_0.c0 as c7
from 
  public.item as ref_0
    inner join (select  
          sample_0.city as c0, 
          ref_1.credit as c1
        from 
          public.customer as ref_1
            left join public.customer as sample_0 tablesample system (1.2) 
            on (ref_1.name = sample_0.name )
        where cast(null as timetz) < cast(null as timetz)
        limit 105) as subq_0
    on (pg_catalog.jsonb_build_array() @@ cast(null as jsonpath)),
  lateral (select  
        sample_1.total as c0, 
        subq_0.c1 as c1, 
        sample_1.day as c2, 
        subq_0.c1 as c3, 
        pg_catalog.inet_server_addr() as c4
      from 
        public.orders as sample_1 tablesample system (3.1) 
      where cast(null as money) <= case when false then cast(null as money) else cast(null as money) end
          
      limit 153) as subq_1
where (pg_catalog.nummultirange(
      cast(cast(null as numrange) as numrange)) <= cast(null as anymultirange)) 
  or (pg_catalog.session_user() ~* ref_0.product)
limit 172;
select  
  subq_0.c4 as c0
from 
  (select  
        (select day from public.orders limit 1 offset 74)
           as c0, 
        sample_0.line as c1, 
        sample_0.line as c2, 
        sample_0.quantity as c3, 
        
          pg_catalog.bit_and(
            cast((select orders from public.spent limit 1 offset 5)
               as int8)) over (partition by sample_0.line,sample_0.price order by sample_0.line) as c4
      from 
        public.item as sample_0 tablesample bernoulli (2.4) 
      where (pg_catalog.tidin(
            cast(cast(null as cstring) as cstring)) >= cast(nullif(cast(null as tid),
            cast(null as tid)) as tid)) 
        and (sample_0.product !~~ sample_0.product)) as subq_0
where pg_catalog.nummultirange() < cast(null as anymultirange)
limit 113;
select  
  (select id from public.customer limit 1 offset 6)
     as c0, 
  subq_1.c0 as c1, 
  subq_1.c0 as c2
from 
  (select  
        subq_0.c0 as c0, 
        ref_0.quantity as c1, 
        subq_0.c1 as c2
      from 
        public.item as ref_0,
        lateral (select  
              ref_0.quantity as c0, 
              ref_0.price as c1
            from 
              public.item as sample_0 tablesample system (9.9) 
            where ref_0.quantity is not NULL) as subq_0
      where cast(null as bytea) ~~ case when cast(null as jsonb) @? cast(null as jsonpath) then pg_catalog.record_send(
            cast(cast(null as record) as record)) else pg_catalog.record_send(
            cast(cast(null as record) as record)) end
          
      limit 122) as subq_1
where pg_catalog.jsonb_build_object() < case when true then pg_catalog.jsonb_build_array() else pg_catalog.jsonb_build_array() end
    
limit 132;
select  
  (select customer_id from public.spent limit 1 offset 6)
     as c0, 
  ref_0.customer_id as c1
from 
  public.spent as ref_0,
  lateral (select  
        ref_1.day as c0, 
        ref_1.id as c1, 
        84 as c2, 
        ref_0.orders as c3, 
        ref_1.customer_id as c4, 
        ref_1.note as c5, 
        ref_0.orders as c6, 
        ref_0.customer_id as c7, 
        ref_1.day as c8, 
        ref_1.customer_id as c9, 
        ref_1.day as c10, 
        ref_0.customer_id as c11, 
        ref_0.orders as c12, 
        ref_1.customer_id as c13, 
        ref_0.customer_id as c14, 
        ref_0.total as c15, 
        ref_1.customer_id as c16, 
        ref_1.note as c17, 
        pg_catalog.pg_stat_get_bgwriter_timed_checkpoints() as c18
      from 
        public.orders as ref_1
      where ref_1.note is NULL) as subq_0
where pg_catalog.bpchar(
    cast(cast(nullif(cast(null as bpchar),
      cast(null as bpchar)) as bpchar) as bpchar),
    cast(subq_0.c0 as int4),
    cast(pg_catalog.pg_jit_available() as bool)) >= cast(null as bpchar)
limit 120;
select  
  ref_0.orders as c0
from 
  public.spent as ref_0
where (case when false then cast(null as date) else cast(null as date) end
       < pg_catalog.date(
      cast(pg_catalog.clock_timestamp() as timestamptz))) 
  or (ref_0.customer_id > pg_catalog.int4(
      cast(pg_catalog.jsonb_path_query_array(
        cast(cast(null as jsonb) as jsonb),
        cast(cast(null as jsonpath) as jsonpath),
        cast(cast(null as jsonb) as jsonb),
        cast(pg_catalog.pg_is_wal_replay_paused() as bool)) as jsonb)))
limit 81;
select  
  subq_0.c0 as c0, 
  ref_0.id as c1, 
  subq_0.c2 as c2, 
  ref_0.id as c3, 
  (select name from public.customer limit 1 offset 1)
     as c4, 
  ref_0.note as c5, 
  pg_catalog.tstzmultirange() as c6, 
  3 as c7, 
  pg_catalog.pg_last_xact_replay_timestamp() as c8, 
  subq_0.c3 as c9, 
  ref_0.day as c10, 
  subq_0.c2 as c11, 
  ref_0.total as c12, 
  subq_0.c1 as c13, 
  subq_0.c2 as c14
from 
  public.orders as ref_0
    inner join (select  
          sample_0.quantity as c0, 
          sample_0.line as c1, 
          sample_0.quantity as c2, 
          sample_0.quantity as c3
        from 
          public.item as sample_0 tablesample system (0.6) 
        where (cast(null as tid) < cast(null as tid)) 
          and (cast(null as anyarray) && cast(null as anyarray))
        limit 117) as subq_0
    on ((true) 
        and (pg_catalog.random() < cast(null as float4)))
where (subq_0.c1 is NULL) 
  or (pg_catalog.spg_poly_quad_compress(
      cast(pg_catalog.polygon(
        cast(subq_0.c0 as int4),
        cast(cast(null as circle) as circle)) as polygon)) << cast(null as box))
limit 106;
select  
  ref_0.total as c0
from 
  public.orders as ref_0
where false
limit 106;
select  
  cast(coalesce(subq_0.c4,
    subq_0.c4) as text) as c0
from 
  (select distinct 
        sample_0.id as c0, 
        sample_0.day as c1, 
        sample_0.day as c2, 
        sample_0.id as c3, 
        sample_0.note as c4, 
        sample_0.id as c5, 
        sample_0.customer_id as c6, 
        sample_0.id as c7
      from 
        public.orders as sample_0 tablesample system (6.6) 
      where cast(null as tid) >= case when cast(null as int2) <> cast(null as int2) then cast(null as tid) else cast(null as tid) end
          
      limit 106) as subq_0
where cast(null as cid) = case when (select product from public.item limit 1 offset 31)
         > cast(null as name) then cast(null as cid) else cast(null as cid) end
    
limit 118;
select  
  (select credit from public.customer limit 1 offset 3)
     as c0
from 
  (select  
        ref_0.price as c0
      from 
        public.item as ref_0
      where (cast(nullif(cast(null as "timestamp"),
            cast(null as "timestamp")) as "timestamp") > pg_catalog.make_timestamptz(
            cast(ref_0.order_id as int4),
            cast(ref_0.order_id as int4),
            cast(ref_0.order_id as int4),
            cast(ref_0.quantity as int4),
            cast(ref_0.line as int4),
            cast(cast(null as float8) as float8),
            cast(ref_0.product as text))) 
        or (ref_0.price is NULL)) as subq_0
where (pg_catalog.bpchar_larger(
      cast(pg_catalog.bpcharin(
        cast(case when subq_0.c0 <= (select orders from public.spent limit 1 offset 1)
               then cast(null as cstring) else cast(null as cstring) end
           as cstring),
        cast(cast(null as oid) as oid),
        cast(85 as int4)) as bpchar),
      cast(cast(null as bpchar) as bpchar)) >= cast(null as bpchar)) 
  or (case when subq_0.c0 is NULL then pg_catalog.system_user() else pg_catalog.system_user() end
       <> pg_catalog.pg_current_logfile());
select  
  (select orders from public.spent limit 1 offset 5)
     as c0, 
  ref_0.orders as c1
from 
  public.spent as ref_0
where (((((cast(null as polygon) @> cast(null as point)) 
          or ((cast(null as circle) > cast(null as circle)) 
            or ((true <= true) 
              and (((cast(null as polygon) &> cast(null as polygon)) 
                  and ((cast(null as inet) && cast(null as inet)) 
                    or (cast(null as date) = cast(null as "timestamp")))) 
                and (cast(null as oidvector) >= cast(null as oidvector)))))) 
        or ((EXISTS (
            select  
                ref_0.orders as c0, 
                ref_0.customer_id as c1, 
                sample_0.id as c2, 
                ref_0.total as c3, 
                ref_0.customer_id as c4, 
                sample_0.name as c5, 
                ref_0.orders as c6, 
                sample_0.city as c7
              from 
                public.customer as sample_0 tablesample system (1.1) 
              where cast(null as "interval") < cast(null as "interval")
              limit 96)) 
          or (cast(null as point) <<| cast(null as point)))) 
      or (false)) 
    and (ref_0.orders is not NULL)) 
  or (pg_catalog.pg_get_wal_replay_pause_state() !~ (select note from public.orders limit 1 offset 4)
      );
select  
  case when sample_1.product ~* ref_2.name then subq_0.c3 else subq_0.c3 end
     as c0, 
  cast(coalesce(ref_1.quantity,
    ref_2.id) as int4) as c1, 
  ref_2.name as c2
from 
  public.orders as ref_0
          left join public.item as ref_1
          on (ref_0.note is not NULL)
        inner join (select  
              (select price from public.item limit 1 offset 4)
                 as c0, 
              (select day from public.orders limit 1 offset 2)
                 as c1, 
              sample_0.total as c2, 
              sample_0.id as c3
            from 
              public.orders as sample_0 tablesample system (5.4) 
            where cast(null as inet) = cast(null as inet)
            limit 76) as subq_0
        on (cast(null as oid) < cast(null as oid))
      right join public.item as sample_1 tablesample system (9.4) 
      on ((sample_1.product @@ sample_1.product) 
          and ((cast(null as "time") < cast(null as "time")) 
            or (sample_1.price is NULL)))
    right join public.customer as ref_2
    on (sample_1.price is NULL)
where cast(null as anyrange) &> pg_catalog.nummultirange();
select  
  pg_catalog.jsonb_build_array() as c0, 
  ref_0.customer_id as c1, 
  ref_0.total as c2, 
  ref_0.customer_id as c3, 
  pg_catalog.floor(
    cast(pg_catalog.pi() as float8)) as c4, 
  ref_0.total as c5, 
  cast(coalesce(ref_0.total,
    pg_catalog.inetmi(
      cast(case when pg_catalog.currtid2(
            cast(cast(null as text) as text),
            cast(cast(null as tid) as tid)) < pg_catalog.tidin(
            cast(cast(null as cstring) as cstring)) then pg_catalog.network_larger(
          cast(cast(null as inet) as inet),
          cast(cast(null as inet) as inet)) else pg_catalog.network_larger(
          cast(cast(null as inet) as inet),
          cast(cast(null as inet) as inet)) end
         as inet),
      cast(pg_catalog.inet_client_addr() as inet))) as int8) as c6, 
  ref_0.total as c7, 
  ref_0.total as c8, 
  ref_0.orders as c9
from 
  public.spent as ref_0
where pg_catalog.pg_my_temp_schema() = case when pg_catalog.bpchar(
        cast(cast(null as "char") as "char")) ~~* (select name from public.customer limit 1 offset 2)
         then pg_catalog.pg_my_temp_schema() else pg_catalog.pg_my_temp_schema() end
    
limit 125;
select  
  subq_0.c5 as c0, 
  subq_0.c4 as c1, 
  subq_0.c4 as c2, 
  subq_0.c3 as c3
from 
  (select  
        (select quantity from public.item limit 1 offset 4)
           as c0, 
        ref_0.city as c1, 
        ref_0.credit as c2, 
        ref_0.city as c3, 
        ref_0.city as c4, 
        ref_0.credit as c5
      from 
        public.customer as ref_0
      where ((cast(null as macaddr8) = cast(null as macaddr8)) 
          or ((select pg_catalog.jsonb_agg(customer_id) from public.spent)
               ?& cast(null as _text))) 
        or (true)) as subq_0
where case when pg_catalog.tstzmultirange() <@ pg_catalog.nummultirange() then cast(coalesce(case when true then pg_catalog.time(
          cast(pg_catalog.statement_timestamp() as timestamptz)) else pg_catalog.time(
          cast(pg_catalog.statement_timestamp() as timestamptz)) end
        ,
      cast(null as "time")) as "time") else cast(coalesce(case when true then pg_catalog.time(
          cast(pg_catalog.statement_timestamp() as timestamptz)) else pg_catalog.time(
          cast(pg_catalog.statement_timestamp() as timestamptz)) end
        ,
      cast(null as "time")) as "time") end
     > cast(null as "time");
select  
  sample_0.name as c0, 
  cast(coalesce(sample_0.credit,
    ref_0.order_id) as int4) as c1, 
  pg_catalog.system_user() as c2, 
  ref_0.price as c3
from 
  public.customer as sample_0 tablesample system (6.2) 
    left join public.item as ref_0
    on (cast(coalesce(cast(null as timetz),
          cast(null as timetz)) as timetz) <> case when cast(null as anymultirange) && cast(null as anyrange) then cast(null as timetz) else cast(null as timetz) end
          )
where 56 is NULL;
select  
  (select pg_catalog.variance(customer_id) from public.spent)
     as c0, 
  subq_0.c0 as c1, 
  cast(nullif(subq_0.c0,
    (select pg_catalog.bit_xor(id) from public.customer)
      ) as int4) as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4
from 
  (select  
        (select line from public.item limit 1 offset 1)
           as c0
      from 
        public.spent as ref_0
      where pg_catalog.pg_stat_get_backend_wait_event(
          cast(ref_0.customer_id as int4)) >= cast(coalesce((select note from public.orders limit 1 offset 5)
            ,
          (select note from public.orders limit 1 offset 2)
            ) as text)
      limit 167) as subq_0
where subq_0.c0 is NULL
limit 98;
select  
  ref_0.note as c0
from 
  public.orders as ref_0
where pg_catalog.box_in(
    cast(pg_catalog.timetz_out(
      cast(cast(null as timetz) as timetz)) as cstring)) |>> case when cast(coalesce(cast(null as "char"),
        case when cast(null as circle) <@ cast(null as circle) then case when (select pg_catalog.bit_or(orders) from public.spent)
                 <> (select orders from public.spent limit 1 offset 1)
                 then cast(null as "char") else cast(null as "char") end
             else case when (select pg_catalog.bit_or(orders) from public.spent)
                 <> (select orders from public.spent limit 1 offset 1)
                 then cast(null as "char") else cast(null as "char") end
             end
          ) as "char") = case when true then cast(null as "char") else cast(null as "char") end
         then cast(null as box) else cast(null as box) end
    
limit 49;
select  
  pg_catalog.pi() as c0, 
  sample_0.line as c1
from 
  public.item as sample_0 tablesample system (7.4) 
where cast(null as int2) <= case when (sample_0.product <= sample_0.product) 
      and (case when cast(null as anymultirange) >> cast(null as anymultirange) then cast(null as record) else cast(null as record) end
           *>= cast(null as record)) then pg_catalog.int2(
      cast(cast(null as float8) as float8)) else pg_catalog.int2(
      cast(cast(null as float8) as float8)) end
    
limit 128;
select  
  subq_1.c2 as c0, 
  subq_1.c5 as c1, 
  subq_1.c3 as c2, 
  subq_1.c2 as c3, 
  subq_1.c4 as c4
from 
  (select  
        subq_0.c2 as c0, 
        subq_0.c1 as c1, 
        subq_0.c1 as c2, 
        subq_0.c6 as c3, 
        subq_0.c2 as c4, 
        subq_0.c6 as c5, 
        pg_catalog.pg_get_wal_replay_pause_state() as c6, 
        subq_0.c2 as c7, 
        subq_0.c3 as c8, 
        case when cast(null as polygon) |>> cast(null as polygon) then subq_0.c6 else subq_0.c6 end
           as c9, 
        (select credit from public.customer limit 1 offset 4)
           as c10
      from 
        (select  
              sample_0.order_id as c0, 
              sample_0.quantity as c1, 
              sample_0.quantity as c2, 
              sample_0.order_id as c3, 
              sample_0.product as c4, 
              16 as c5, 
              sample_0.order_id as c6
            from 
              public.item as sample_0 tablesample system (3) 
            where cast(null as bpchar) > cast(null as bpchar)
            limit 180) as subq_0
      where case when 4 is not NULL then subq_0.c0 else subq_0.c0 end
           is not NULL
      limit 59) as subq_1
where subq_1.c10 is NULL
limit 105;
select  
  ref_0.quantity as c0
from 
  public.item as ref_0
where cast(nullif(cast(null as int2),
    pg_catalog.mod(
      cast(cast(null as int2) as int2),
      cast(pg_catalog.int2(
        cast(case when EXISTS (
            select  
                ref_1.total as c0, 
                ref_1.orders as c1
              from 
                public.spent as ref_1
              where cast(null as point) >^ cast(null as point)
              limit 73) then (select orders from public.spent limit 1 offset 4)
             else (select orders from public.spent limit 1 offset 4)
             end
           as int8)) as int2))) as int2) > pg_catalog.int2not(
    cast(cast(null as int2) as int2));
select  
  subq_1.c0 as c0, 
  subq_1.c0 as c1, 
  subq_1.c0 as c2, 
  
    pg_catalog.max(
      cast(cast(null as date) as date)) over (partition by subq_1.c0 order by subq_1.c0,subq_1.c0) as c3, 
  subq_1.c0 as c4, 
  subq_1.c0 as c5
from 
  (select  
        subq_0.c3 as c0
      from 
        (select  
              (select total from public.spent limit 1 offset 5)
                 as c0, 
              ref_0.day as c1, 
              ref_0.note as c2, 
              ref_0.day as c3, 
              (select product from public.item limit 1 offset 29)
                 as c4, 
              ref_0.customer_id as c5
            from 
              public.orders as ref_0
            where EXISTS (
              select  
                  ref_0.customer_id as c0, 
                  sample_0.id as c1
                from 
                  public.customer as sample_0 tablesample system (3.8) 
                where cast(null as bytea) >= cast(null as bytea)
                limit 59)
            limit 116) as subq_0
      where false
      limit 117) as subq_1
where pg_catalog.nummultirange() && cast(null as anymultirange)
limit 164;
select  
  ref_0.order_id as c0, 
  ref_0.price as c1, 
  ref_0.line as c2, 
  ref_0.order_id as c3, 
  ref_0.quantity as c4, 
  ref_0.line as c5, 
  82 as c6
from 
  public.item as ref_0
where cast(coalesce(case when case when false then cast(null as anyrange) else cast(null as anyrange) end
           > cast(null as anyrange) then cast(null as tid) else cast(null as tid) end
      ,
    cast(nullif(cast(coalesce(cast(null as tid),
        cast(null as tid)) as tid),
      cast(nullif(cast(coalesce(cast(null as tid),
          cast(null as tid)) as tid),
        case when cast(null as anymultirange) < cast(null as anymultirange) then cast(null as tid) else cast(null as tid) end
          ) as tid)) as tid)) as tid) >= case when (cast(null as date) < cast(null as "timestamp")) 
      or (case when ref_0.product ~>=~ ref_0.product then cast(null as record) else cast(null as record) end
           *<> cast(coalesce(case when cast(null as box) < cast(null as box) then cast(null as record) else cast(null as record) end
            ,
          cast(coalesce(cast(null as record),
            cast(null as record)) as record)) as record)) then cast(null as tid) else cast(null as tid) end;
select  
  ref_0.name as c0, 
  ref_0.city as c1
from 
  public.customer as ref_0
where EXISTS (
  select  
      60 as c0, 
      subq_0.c1 as c1, 
      ref_0.credit as c2, 
      sample_0.id as c3, 
      ref_0.id as c4, 
      ref_0.city as c5
    from 
      public.orders as sample_0 tablesample system (5.6) 
        inner join (select  
              sample_1.credit as c0, 
              sample_1.credit as c1, 
              ref_0.city as c2, 
              sample_1.city as c3
            from 
              public.customer as sample_1 tablesample system (1.3) 
            where cast(null as timestamptz) >= cast(null as timestamptz)
            limit 110) as subq_0
        on (cast(null as anyrange) -|- cast(null as anyrange))
    where (select orders from public.spent limit 1 offset 4)
         <= ref_0.credit)
limit 95;
select  
  ref_0.order_id as c0, 
  ref_0.quantity as c1, 
  ref_0.product as c2, 
  ref_0.product as c3, 
  ref_0.line as c4, 
  ref_0.quantity as c5, 
  case when 
        pg_catalog.max(
          cast(cast(null as tid) as tid)) over (partition by ref_0.price order by ref_0.line) < cast(nullif(case when true then cast(null as tid) else cast(null as tid) end
          ,
        pg_catalog.currtid2(
          cast(ref_0.product as text),
          cast(cast(null as tid) as tid))) as tid) then pg_catalog.pg_control_recovery() else pg_catalog.pg_control_recovery() end
     as c6
from 
  public.item as ref_0
where pg_catalog.datemultirange() -|- pg_catalog.int4range_canonical(
    cast(cast(nullif(case when cast(null as timestamptz) > case when cast(null as point) <@ cast(null as path) then cast(null as "timestamp") else cast(null as "timestamp") end
             then cast(null as int4range) else cast(null as int4range) end
        ,
      cast(coalesce(cast(null as int4range),
        cast(null as int4range)) as int4range)) as int4range) as int4range))
limit 86;
select  
  pg_catalog.pg_stat_get_checkpoint_write_time() as c0, 
  subq_0.c2 as c1, 
  subq_0.c6 as c2, 
  subq_0.c2 as c3, 
  subq_0.c1 as c4, 
  (select note from public.orders limit 1 offset 3)
     as c5, 
  subq_0.c7 as c6, 
  subq_0.c1 as c7, 
  subq_0.c0 as c8, 
  subq_0.c6 as c9
from 
  (select  
        ref_1.id as c0, 
        ref_2.name as c1, 
        35 as c2, 
        ref_1.city as c3, 
        ref_2.credit as c4, 
        ref_1.id as c5, 
        ref_0.id as c6, 
        ref_0.credit as c7, 
        ref_0.name as c8
      from 
        public.customer as ref_0
          inner join public.customer as ref_1
            left join public.customer as ref_2
            on (cast(null as polygon) @> cast(null as point))
          on (false)
      where (pg_catalog.tsmultirange() @> cast(nullif(cast(null as anymultirange),
            cast(null as anymultirange)) as anymultirange)) 
        and (cast(null as "interval") <= pg_catalog.interval_mi(
            cast(cast(null as "interval") as "interval"),
            cast(cast(null as "interval") as "interval")))
      limit 78) as subq_0
where case when (subq_0.c7 is not NULL) 
      and (false) then cast(coalesce(cast(null as polygon),
      cast(null as polygon)) as polygon) else cast(coalesce(cast(null as polygon),
      cast(null as polygon)) as polygon) end
     |&> cast(null as polygon)
limit 165;
select  
  sample_0.name as c0
from 
  public.customer as sample_0 tablesample bernoulli (8.4) 
where (sample_0.id < pg_catalog.txid_current_if_assigned()) 
  and (pg_catalog.pg_snapshot_xmin(
      cast(pg_catalog.pg_current_snapshot() as pg_snapshot)) > pg_catalog.pg_current_xact_id())
limit 27;
select  
  subq_0.c0 as c0, 
  subq_0.c4 as c1, 
  subq_0.c9 as c2, 
  subq_0.c6 as c3, 
  subq_0.c2 as c4
from 
  (select  
        pg_catalog.pg_index_has_property(
          cast(cast(null as regclass) as regclass),
          cast(sample_0.product as text)) as c0, 
        (select customer_id from public.spent limit 1 offset 1)
           as c1, 
        sample_0.order_id as c2, 
        sample_0.price as c3, 
        sample_0.quantity as c4, 
        sample_0.order_id as c5, 
        sample_0.line as c6, 
        1 as c7, 
        sample_0.quantity as c8, 
        sample_0.product as c9
      from 
        public.item as sample_0 tablesample bernoulli (8.2) 
      where (sample_0.quantity = cast(coalesce(cast(null as int2),
            cast(null as int2)) as int2)) 
        and (cast(null as date) <= cast(nullif(cast(null as date),
            cast(null as date)) as date))
      limit 116) as subq_0
where subq_0.c5 is not NULL
limit 45;
select  
  subq_0.c0 as c0
from 
  (select  
        sample_1.line as c0, 
        sample_0.line as c1, 
        sample_0.price as c2, 
        sample_0.line as c3
      from 
        public.item as sample_0 tablesample system (2.4) 
          inner join public.item as sample_1 tablesample bernoulli (4.2) 
          on (true)
      where cast(coalesce(cast(null as macaddr8),
          cast(null as macaddr8)) as macaddr8) >= pg_catalog.macaddr8_in(
          cast(pg_catalog.oidvectorout(
            cast(cast(null as oidvector) as oidvector)) as cstring))
      limit 88) as subq_0
where subq_0.c2 is not NULL;
select  
  (select name from public.customer limit 1 offset 4)
     as c0, 
  pg_catalog.trunc(
    cast(pg_catalog.div(
      cast(pg_catalog.numeric_abs(
        cast(
          pg_catalog.stddev(
            cast(cast(null as "numeric") as "numeric")) over (partition by sample_0.day order by sample_0.total) as "numeric")) as "numeric"),
      cast(
        pg_catalog.var_pop(
          cast(pg_catalog.timestamp_cmp_date(
            cast(cast(null as "timestamp") as "timestamp"),
            cast(cast(null as date) as date)) as int4)) over (partition by sample_0.note,sample_0.note order by sample_0.customer_id,sample_0.note) as "numeric")) as "numeric")) as c1
from 
  public.orders as sample_0 tablesample bernoulli (1.3) 
where 49 is NULL
limit 50;
select  
  sample_0.city as c0, 
  (select day from public.orders limit 1 offset 3)
     as c1, 
  sample_0.credit as c2
from 
  public.customer as sample_0 tablesample system (3.4) 
where pg_catalog.pg_stat_get_snapshot_timestamp() = cast(coalesce(cast(coalesce(cast(null as "timestamp"),
      pg_catalog.timezone(
        cast(cast(null as "interval") as "interval"),
        cast(case when cast(null as bytea) >= cast(null as bytea) then cast(null as timestamptz) else cast(null as timestamptz) end
           as timestamptz))) as "timestamp"),
    pg_catalog.interval_pl_timestamp(
      cast(pg_catalog.interval_mi(
        cast(case when cast(null as name) !~ sample_0.city then cast(null as "interval") else cast(null as "interval") end
           as "interval"),
        cast(case when (select product from public.item limit 1 offset 39)
               is not NULL then cast(null as "interval") else cast(null as "interval") end
           as "interval")) as "interval"),
      cast(case when false then cast(null as "timestamp") else cast(null as "timestamp") end
         as "timestamp"))) as "timestamp")
limit 76;
select  
  subq_0.c1 as c0, 
  sample_1.id as c1, 
  sample_1.credit as c2
from 
  (select  
          ref_0.customer_id as c0, 
          ref_0.customer_id as c1
        from 
          public.spent as ref_0
              right join public.customer as sample_0 tablesample system (0.4) 
              on ((false) 
                  and ((cast(null as "interval") = cast(null as "interval")) 
                    and (sample_0.city < cast(null as name))))
            right join public.customer as ref_1
            on (cast(null as date) <> cast(null as timestamptz))
        where cast(null as anyelement) <@ cast(null as anyrange)
        limit 100) as subq_0
    right join public.customer as sample_1 tablesample system (9.5) 
    on (sample_1.credit > subq_0.c0)
where true
limit 33;
select  
  sample_0.day as c0, 
  sample_0.day as c1
from 
  public.orders as sample_0 tablesample system (3.2) 
where case when sample_0.note is NULL then pg_catalog.netmask(
      cast(case when case when true then cast(null as path) else cast(null as path) end
             @> cast(null as point) then pg_catalog.inet_server_addr() else pg_catalog.inet_server_addr() end
         as inet)) else pg_catalog.netmask(
      cast(case when case when true then cast(null as path) else cast(null as path) end
             @> cast(null as point) then pg_catalog.inet_server_addr() else pg_catalog.inet_server_addr() end
         as inet)) end
     && pg_catalog.inet_client_addr();
select  
  sample_0.id as c0
from 
  public.customer as sample_0 tablesample system (4.4) 
    inner join public.customer as ref_0
    on (true)
where EXISTS (
  select  
      pg_catalog.pi() as c0, 
      sample_0.city as c1, 
      (select total from public.spent limit 1 offset 5)
         as c2
    from 
      public.item as sample_1 tablesample system (6.7) 
    where false
    limit 160);
select  
  (select city from public.customer limit 1 offset 6)
     as c0, 
  cast(coalesce(ref_0.orders,
    (select orders from public.spent limit 1 offset 2)
      ) as int8) as c1, 
  ref_0.customer_id as c2
from 
  public.spent as ref_0
where cast(nullif(case when cast(nullif(cast(null as line),
          cast(null as line)) as line) ?# cast(null as box) then case when cast(null as float4) <= cast(null as float8) then pg_catalog.current_schema() else pg_catalog.current_schema() end
         else case when cast(null as float4) <= cast(null as float8) then pg_catalog.current_schema() else pg_catalog.current_schema() end
         end
      ,
    case when ref_0.customer_id is not NULL then pg_catalog.current_database() else pg_catalog.current_database() end
      ) as name) <> pg_catalog.session_user()
limit 164;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  sample_0.id as c2, 
  subq_0.c1 as c3, 
  sample_0.note as c4
from 
  (select  
          ref_0.name as c0, 
          ref_0.id as c1
        from 
          public.customer as ref_0
        where cast(coalesce(cast(null as pg_lsn),
            cast(null as pg_lsn)) as pg_lsn) > pg_catalog.pg_last_wal_replay_lsn()
        limit 141) as subq_0
    inner join public.orders as sample_0 tablesample bernoulli (8.6) 
    on (((select orders from public.spent limit 1 offset 5)
             < cast(null as int2)) 
        or ((sample_0.total is NULL) 
          and ((true) 
            and (sample_0.total is not NULL))))
where true;
select  
  case when (case when ((select customer_id from public.spent limit 1 offset 3)
                 >= cast(null as int2)) 
            and (cast(null as date) > cast(null as date)) then cast(null as bytea) else cast(null as bytea) end
           <> case when cast(null as tsquery) @@@ cast(null as tsvector) then cast(nullif(cast(null as bytea),
            cast(null as bytea)) as bytea) else cast(nullif(cast(null as bytea),
            cast(null as bytea)) as bytea) end
          ) 
      or (cast(null as point) << cast(null as point)) then pg_catalog.transaction_timestamp() else pg_catalog.transaction_timestamp() end
     as c0, 
  subq_0.c1 as c1, 
  
    pg_catalog.xmlagg(
      cast(cast(null as xml) as xml)) over (partition by subq_0.c0 order by subq_0.c3) as c2
from 
  (select  
        99 as c0, 
        ref_0.id as c1, 
        ref_0.customer_id as c2, 
        cast(nullif(ref_0.note,
          ref_0.note) as text) as c3, 
        ref_0.note as c4
      from 
        public.orders as ref_0
      where (cast(null as timestamptz) = pg_catalog.timezone(
            cast(cast(null as "interval") as "interval"),
            cast(cast(null as "timestamp") as "timestamp"))) 
        or (true)
      limit 126) as subq_0
where subq_0.c4 is NULL;
select  
  ref_0.id as c0, 
  cast(coalesce(cast(nullif(case when cast(null as jsonb) = (select pg_catalog.jsonb_agg(order_id) from public.item)
             then ref_0.customer_id else ref_0.customer_id end
        ,
      ref_0.id) as int4),
    ref_0.customer_id) as int4) as c1, 
  
    pg_catalog.jsonb_object_agg_strict(
      cast(pg_catalog.pg_rotate_logfile_old() as "any"),
      cast(ref_0.day as int4)) over (partition by ref_0.total order by ref_0.day) as c2, 
  ref_0.day as c3, 
  ref_0.note as c4, 
  ref_0.note as c5, 
  pg_catalog.date_cmp(
    cast(case when (ref_0.note ~<~ ref_0.note) 
        and (cast(null as xid8) <> cast(null as xid8)) then 
        pg_catalog.max(
          cast(cast(null as date) as date)) over (partition by ref_0.total order by ref_0.day) else 
        pg_catalog.max(
          cast(cast(null as date) as date)) over (partition by ref_0.total order by ref_0.day) end
       as date),
    cast(
      pg_catalog.max(
        cast(pg_catalog.to_date(
          cast(ref_0.note as text),
          cast(ref_0.note as text)) as date)) over (partition by ref_0.id order by ref_0.customer_id) as date)) as c6
from 
  public.orders as ref_0
where ref_0.customer_id < ref_0.id
limit 149;
select  
  ref_0.total as c0, 
  (select credit from public.customer limit 1 offset 6)
     as c1, 
  ref_0.total as c2, 
  pg_catalog.pi() as c3
from 
  public.spent as ref_0
where case when (pg_catalog.getdatabaseencoding() <= (select pg_catalog.max(product) from public.item)
          ) 
      or (ref_0.orders is NULL) then case when (cast(null as pg_lsn) >= case when cast(null as circle) <@ cast(null as circle) then cast(null as pg_lsn) else cast(null as pg_lsn) end
            ) 
        and (true) then cast(coalesce(cast(null as circle),
        cast(coalesce(cast(null as circle),
          cast(null as circle)) as circle)) as circle) else cast(coalesce(cast(null as circle),
        cast(coalesce(cast(null as circle),
          cast(null as circle)) as circle)) as circle) end
       else case when (cast(null as pg_lsn) >= case when cast(null as circle) <@ cast(null as circle) then cast(null as pg_lsn) else cast(null as pg_lsn) end
            ) 
        and (true) then cast(coalesce(cast(null as circle),
        cast(coalesce(cast(null as circle),
          cast(null as circle)) as circle)) as circle) else cast(coalesce(cast(null as circle),
        cast(coalesce(cast(null as circle),
          cast(null as circle)) as circle)) as circle) end
       end
     > cast(null as circle);
select  
  21 as c0, 
  6 as c1, 
  subq_0.c2 as c2
from 
  public.orders as sample_0 tablesample system (1.4) ,
  lateral (select  
        sample_0.total as c0, 
        sample_0.day as c1, 
        48 as c2, 
        15 as c3, 
        sample_0.day as c4
      from 
        public.customer as sample_1 tablesample system (7.7) 
      where sample_0.day is NULL) as subq_0
where cast(null as "timestamp") <> case when (subq_0.c2 <= cast(coalesce(pg_catalog.int2xor(
            cast(cast(null as int2) as int2),
            cast(cast(null as int2) as int2)),
          cast(null as int2)) as int2)) 
      and (cast(null as int2) < cast(null as int2)) then pg_catalog.timezone(
      cast(case when false then cast(null as "interval") else cast(null as "interval") end
         as "interval"),
      cast(cast(null as timestamptz) as timestamptz)) else pg_catalog.timezone(
      cast(case when false then cast(null as "interval") else cast(null as "interval") end
         as "interval"),
      cast(cast(null as timestamptz) as timestamptz)) end;
select  
  subq_0.c0 as c0, 
  pg_catalog.initcap(
    cast(subq_0.c0 as text)) as c1
from 
  (select  
        sample_0.name as c0
      from 
        public.customer as sample_0 tablesample system (4.7) 
      where pg_catalog.bitcat(
          cast(pg_catalog.varbit(
            cast(cast(null as varbit) as varbit),
            cast(sample_0.id as int4),
            cast(true as bool)) as varbit),
          cast(cast(null as varbit) as varbit)) <= cast(null as varbit)
      limit 195) as subq_0,
  lateral (select  
        subq_0.c0 as c0, 
        subq_0.c0 as c1, 
        ref_0.credit as c2
      from 
        public.customer as ref_0
      where subq_0.c0 is not NULL
      limit 158) as subq_1
where subq_1.c0 is not NULL
limit 79;
select  
  ref_0.orders as c0, 
  
    pg_catalog.range_intersect_agg(
      cast(pg_catalog.int8multirange() as anymultirange)) over (partition by ref_0.total order by ref_0.customer_id) as c1, 
  ref_0.customer_id as c2, 
  ref_0.customer_id as c3, 
  ref_0.orders as c4, 
  ref_0.total as c5, 
  ref_0.total as c6, 
  ref_0.orders as c7, 
  (select note from public.orders limit 1 offset 6)
     as c8, 
  86 as c9, 
  ref_0.customer_id as c10, 
  ref_0.total as c11, 
  ref_0.orders as c12, 
  ref_0.total as c13
from 
  public.spent as ref_0
where EXISTS (
  select  
      sample_2.note as c0, 
      sample_2.id as c1, 
      case when sample_1.total is not NULL then sample_0.day else sample_0.day end
         as c2, 
      sample_1.customer_id as c3
    from 
      public.orders as sample_0 tablesample bernoulli (5.5) 
        inner join public.orders as sample_1 tablesample system (2.4) 
          left join public.orders as sample_2 tablesample bernoulli (6) 
          on (ref_0.orders > (select pg_catalog.sum(customer_id) from public.spent)
                )
        on (((select pg_catalog.max(orders) from public.spent)
                 is not NULL) 
            or (true))
    where pg_catalog.pg_is_in_recovery() = cast(coalesce(false,
        pg_catalog.pg_jit_available()) as bool)
    limit 56)
limit 59;
select  
  ref_0.note as c0, 
  (select order_id from public.item limit 1 offset 18)
     as c1, 
  pg_catalog.jsonb_build_array() as c2, 
  ref_0.id as c3, 
  pg_catalog.textltname(
    cast(ref_0.note as text),
    cast(pg_catalog.session_user() as name)) as c4, 
  ref_0.id as c5, 
  pg_catalog.random() as c6, 
  ref_0.customer_id as c7
from 
  public.orders as ref_0
where (ref_0.note !~~ ref_0.note) 
  or ((select product from public.item limit 1 offset 1)
       is not NULL)
limit 90;
select  
  case when EXISTS (
      select  
          sample_0.line as c0, 
          ref_2.customer_id as c1
        from 
          public.orders as ref_2
        where sample_0.product is not NULL) then sample_0.product else sample_0.product end
     as c0
from 
  (select  
          ref_1.id as c0
        from 
          public.customer as ref_0
            inner join public.customer as ref_1
            on ((cast(null as bpchar) < cast(null as bpchar)) 
                and (cast(null as int2) < ref_1.credit))
        where pg_catalog.pg_stat_get_bgwriter_stat_reset_time() <> cast(null as "timestamp")
        limit 171) as subq_0
    right join public.item as sample_0 tablesample system (8.9) 
    on (subq_0.c0 = sample_0.order_id )
where (pg_catalog.gen_random_uuid() <= pg_catalog.gen_random_uuid()) 
  and (cast(nullif(cast(coalesce(cast(null as record),
        case when sample_0.order_id > (select pg_catalog.count(id) from public.orders)
               then cast(null as record) else cast(null as record) end
          ) as record),
      cast(null as record)) as record) *< cast(null as record));
select  
  22 as c0, 
  pg_catalog.txid_current_if_assigned() as c1
from 
  public.item as sample_0 tablesample bernoulli (9.8) 
where pg_catalog.center(
    cast(cast(nullif(cast(coalesce(cast(null as box),
        cast(null as box)) as box),
      case when sample_0.price is NULL then cast(null as box) else cast(null as box) end
        ) as box) as box)) ~= pg_catalog.point(
    cast(pg_catalog.box(
      cast(pg_catalog.circle_add_pt(
        cast(cast(null as circle) as circle),
        cast(cast(null as point) as point)) as circle)) as box))
limit 88;
select  
  sample_0.note as c0, 
  sample_0.day as c1, 
  pg_catalog.inet_client_addr() as c2, 
  sample_0.total as c3
from 
  public.orders as sample_0 tablesample system (0.5) 
where cast(coalesce(cast(null as oid),
    case when cast(null as tsquery) @@@ case when cast(null as anymultirange) >= cast(null as anymultirange) then case when sample_0.total is not NULL then cast(null as tsvector) else cast(null as tsvector) end
             else case when sample_0.total is not NULL then cast(null as tsvector) else cast(null as tsvector) end
             end
           then cast(null as oid) else cast(null as oid) end
      ) as oid) < case when sample_0.note !~~* sample_0.note then pg_catalog.pg_stat_get_backend_dbid(
      cast(sample_0.total as int4)) else pg_catalog.pg_stat_get_backend_dbid(
      cast(sample_0.total as int4)) end
    
limit 96;
select  
  subq_0.c0 as c0, 
  case when (cast(null as xid) = (select pg_catalog.min(id) from public.customer)
          ) 
      or (
          pg_catalog.max(
            cast(cast(null as money) as money)) over (partition by subq_0.c0,subq_0.c0,subq_0.c0 order by subq_0.c1) <> cast(null as money)) then subq_0.c0 else subq_0.c0 end
     as c1, 
  subq_0.c1 as c2, 
  subq_0.c0 as c3, 
  pg_catalog.pg_stat_get_bgwriter_stat_reset_time() as c4, 
  subq_0.c1 as c5, 
  pg_catalog.macaddr_ge(
    cast(case when cast(null as date) < cast(null as timestamptz) then case when cast(null as macaddr8) > pg_catalog.macaddr8_set7bit(
            cast(cast(null as macaddr8) as macaddr8)) then cast(null as macaddr) else cast(null as macaddr) end
         else case when cast(null as macaddr8) > pg_catalog.macaddr8_set7bit(
            cast(cast(null as macaddr8) as macaddr8)) then cast(null as macaddr) else cast(null as macaddr) end
         end
       as macaddr),
    cast(pg_catalog.macaddr(
      cast(cast(null as macaddr8) as macaddr8)) as macaddr)) as c6, 
  subq_0.c0 as c7, 
  subq_0.c1 as c8, 
  subq_0.c0 as c9, 
  subq_0.c1 as c10, 
  57 as c11
from 
  (select  
        ref_0.quantity as c0, 
        ref_0.price as c1
      from 
        public.item as ref_0
      where pg_catalog.clock_timestamp() >= cast(null as date)
      limit 114) as subq_0
where subq_0.c0 is NULL
limit 99;
select  
  pg_catalog.inet_client_port() as c0, 
  sample_0.line as c1, 
  sample_0.quantity as c2
from 
  public.item as sample_0 tablesample system (5.7) 
where pg_catalog.nummultirange(
    cast(case when cast(null as timetz) >= case when cast(null as tid) >= cast(null as tid) then cast(null as timetz) else cast(null as timetz) end
           then case when cast(null as lseg) ?# cast(null as line) then cast(null as _numrange) else cast(null as _numrange) end
         else case when cast(null as lseg) ?# cast(null as line) then cast(null as _numrange) else cast(null as _numrange) end
         end
       as _numrange)) <@ cast(null as anymultirange);
select  
  sample_0.customer_id as c0, 
  sample_0.day as c1, 
  sample_0.total as c2, 
  sample_0.customer_id as c3, 
  sample_0.id as c4
from 
  public.orders as sample_0 tablesample system (1.6) 
where (cast(null as "numeric") = cast(coalesce((select pg_catalog.var_pop(orders) from public.spent)
        ,
      cast(null as "numeric")) as "numeric")) 
  or (sample_0.id is not NULL);
select  
  subq_0.c6 as c0
from 
  (select  
        ref_0.credit as c0, 
        ref_0.id as c1, 
        pg_catalog.clock_timestamp() as c2, 
        ref_0.id as c3, 
        ref_0.id as c4, 
        ref_0.id as c5, 
        ref_0.city as c6, 
        ref_0.credit as c7, 
        ref_0.city as c8, 
        ref_0.credit as c9
      from 
        public.customer as ref_0
      where (cast(coalesce(cast(null as timetz),
            cast(null as timetz)) as timetz) > cast(null as timetz)) 
        and ((cast(null as anymultirange) << cast(null as anyrange)) 
          and (ref_0.id <= (select pg_catalog.bit_or(orders) from public.spent)
              ))
      limit 41) as subq_0
where case when cast(nullif(pg_catalog.width(
          cast(pg_catalog.box_sub(
            cast(cast(null as box) as box),
            cast(cast(null as point) as point)) as box)),
        case when cast(null as "timestamp") > cast(null as "timestamp") then cast(nullif(cast(null as float8),
            cast(null as float8)) as float8) else cast(nullif(cast(null as float8),
            cast(null as float8)) as float8) end
          ) as float8) = pg_catalog.random() then pg_catalog.dlog1(
      cast(pg_catalog.pi() as float8)) else pg_catalog.dlog1(
      cast(pg_catalog.pi() as float8)) end
     >= pg_catalog.pi();
select  
  subq_0.c3 as c0, 
  subq_0.c1 as c1
from 
  (select  
        ref_0.quantity as c0, 
        ref_0.quantity as c1, 
        ref_0.price as c2, 
        ref_0.price as c3
      from 
        public.item as ref_0
      where cast(coalesce(cast(null as bpchar),
          cast(null as bpchar)) as bpchar) ~ ref_0.product
      limit 106) as subq_0
where (false) 
  or (cast(null as box) &< case when (case when subq_0.c3 is NULL then (select name from public.customer limit 1 offset 1)
               else (select name from public.customer limit 1 offset 1)
               end
             <> (select name from public.customer limit 1 offset 2)
            ) 
        or (cast(coalesce(cast(null as bpchar),
            cast(null as bpchar)) as bpchar) !~ cast(null as text)) then cast(nullif(cast(null as box),
        cast(null as box)) as box) else cast(nullif(cast(null as box),
        cast(null as box)) as box) end
      );
select  
  ref_0.id as c0
from 
  public.orders as ref_0
where ref_0.id < cast(nullif((select orders from public.spent limit 1 offset 5)
      ,
    cast(null as int8)) as int8)
limit 79;
select  
  ref_0.line as c0, 
  ref_0.price as c1, 
  ref_0.line as c2, 
  pg_catalog.pg_last_wal_replay_lsn() as c3, 
  ref_0.quantity as c4, 
  ref_0.line as c5
from 
  public.item as ref_0
where case when cast(coalesce(case when ref_0.product is not NULL then pg_catalog.pg_last_wal_replay_lsn() else pg_catalog.pg_last_wal_replay_lsn() end
          ,
        pg_catalog.pg_logical_emit_message(
          cast(true as bool),
          cast(ref_0.product as text),
          cast(ref_0.product as text))) as pg_lsn) < cast(nullif(case when true then case when true then cast(null as pg_lsn) else cast(null as pg_lsn) end
             else case when true then cast(null as pg_lsn) else cast(null as pg_lsn) end
             end
          ,
        cast(null as pg_lsn)) as pg_lsn) then pg_catalog.uuid_in(
      cast(cast(null as cstring) as cstring)) else pg_catalog.uuid_in(
      cast(cast(null as cstring) as cstring)) end
     = cast(null as uuid)
limit 93;
select  
  ref_0.price as c0
from 
  public.item as ref_0
    left join public.item as sample_0 tablesample system (2.5) 
        right join public.item as sample_1 tablesample bernoulli (10) 
          inner join public.orders as sample_2 tablesample system (3.7) 
          on (true)
        on (sample_1.product <= sample_2.note)
      inner join (select  
            sample_3.line as c0
          from 
            public.item as sample_3 tablesample system (1) 
          where cast(null as pg_lsn) < cast(null as pg_lsn)) as subq_0
      on (false)
    on (EXISTS (
        select  
            ref_0.line as c0, 
            ref_0.order_id as c1
          from 
            public.item as sample_4 tablesample system (7.9) 
          where (select price from public.item limit 1 offset 5)
               is not NULL
          limit 86))
where case when sample_2.customer_id > cast(null as int2) then (select orders from public.spent limit 1 offset 2)
       else (select orders from public.spent limit 1 offset 2)
       end
     < (select pg_catalog.min(orders) from public.spent)
    
limit 110;
select  
  subq_0.c0 as c0
from 
  (select  
        case when EXISTS (
            select  
                sample_0.price as c0
              from 
                public.customer as sample_1 tablesample system (1.2) 
              where (true) 
                or (sample_1.id is NULL)) then sample_0.price else sample_0.price end
           as c0, 
        sample_0.quantity as c1, 
        sample_0.line as c2, 
        sample_0.line as c3, 
        sample_0.product as c4, 
        sample_0.line as c5
      from 
        public.item as sample_0 tablesample bernoulli (0.4) 
      where cast(null as int2) <= cast(null as int2)
      limit 157) as subq_0
where cast(null as pg_lsn) <= pg_catalog.pg_log_standby_snapshot()
limit 93;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1
from 
  (select  
        sample_1.note as c0
      from 
        public.item as ref_0
            left join public.orders as sample_0 tablesample system (10) 
            on ((true) 
                or ((true) 
                  and (cast(null as point) |>> cast(null as point))))
          left join public.orders as sample_1 tablesample system (3.2) 
          on (cast(null as anymultirange) << cast(null as anyrange))
      where pg_catalog.statement_timestamp() >= case when cast(null as timestamptz) = cast(null as "timestamp") then case when cast(null as circle) @> cast(null as point) then cast(null as timestamptz) else cast(null as timestamptz) end
             else case when cast(null as circle) @> cast(null as point) then cast(null as timestamptz) else cast(null as timestamptz) end
             end
          
      limit 104) as subq_0
where (true) 
  or (case when EXISTS (
        select  
            subq_0.c0 as c0, 
            subq_0.c0 as c1, 
            87 as c2
          from 
            public.spent as ref_1
          where cast(null as box) |&> cast(null as box)
          limit 49) then pg_catalog.inet_client_addr() else pg_catalog.inet_client_addr() end
       = pg_catalog.inet_server_addr())
limit 78;
select  
  ref_0.order_id as c0, 
  ref_0.product as c1, 
  sample_0.total as c2, 
  ref_0.product as c3, 
  ref_0.price as c4, 
  ref_0.order_id as c5, 
  ref_0.line as c6, 
  sample_0.day as c7, 
  ref_0.line as c8, 
  pg_catalog.pg_last_wal_replay_lsn() as c9, 
  ref_0.price as c10, 
  sample_0.total as c11
from 
  public.orders as sample_0 tablesample system (5.6) 
    inner join public.item as ref_0
    on (sample_0.id = ref_0.order_id )
where case when pg_catalog.poly_in(
        cast(cast(null as cstring) as cstring)) ~= case when cast(null as point) <@ cast(null as polygon) then cast(null as polygon) else cast(null as polygon) end
         then pg_catalog.pg_get_wal_replay_pause_state() else pg_catalog.pg_get_wal_replay_pause_state() end
     >= cast(null as text)
limit 120;
select  
  28 as c0
from 
  public.item as ref_0,
  lateral (select  
        ref_1.order_id as c0, 
        ref_0.quantity as c1, 
        ref_0.product as c2, 
        91 as c3, 
        ref_1.price as c4
      from 
        public.item as ref_1
      where false) as subq_0
where ((subq_0.c4 <= case when case when ((ref_0.line is not NULL) 
                and (cast(null as anymultirange) @> (select id from public.customer limit 1 offset 5)
                    )) 
              or (false) then cast(null as int2) else cast(null as int2) end
             <> cast(coalesce(cast(null as int2),
            cast(null as int2)) as int2) then ref_0.price else ref_0.price end
        ) 
    or (pg_catalog.jsonb_build_object() ?& cast(nullif(cast(null as _text),
        case when subq_0.c2 is not NULL then cast(nullif(cast(null as _text),
            cast(null as _text)) as _text) else cast(nullif(cast(null as _text),
            cast(null as _text)) as _text) end
          ) as _text))) 
  or (case when false then ref_0.product else ref_0.product end
       is NULL)
limit 63;
select  
  ref_0.orders as c0, 
  pg_catalog.pg_reload_conf() as c1
from 
  public.spent as ref_0
where pg_catalog.pg_stat_get_bgwriter_requested_checkpoints() <> cast(coalesce(case when cast(coalesce(pg_catalog.tsrange(
            cast(cast(null as "timestamp") as "timestamp"),
            cast(cast(null as "timestamp") as "timestamp")),
          case when cast(null as lseg) = cast(null as lseg) then cast(null as anyrange) else cast(null as anyrange) end
            ) as anyrange) @> case when (cast(null as float8) < cast(null as float8)) 
            or (ref_0.orders > ref_0.orders) then cast(null as anymultirange) else cast(null as anymultirange) end
           then case when true then pg_catalog.int2not(
          cast(cast(null as int2) as int2)) else pg_catalog.int2not(
          cast(cast(null as int2) as int2)) end
         else case when true then pg_catalog.int2not(
          cast(cast(null as int2) as int2)) else pg_catalog.int2not(
          cast(cast(null as int2) as int2)) end
         end
      ,
    pg_catalog.int2(
      cast(case when ref_0.total is not NULL then (select pg_catalog.avg(id) from public.orders)
           else (select pg_catalog.avg(id) from public.orders)
           end
         as "numeric"))) as int2)
limit 33;
select  
  subq_0.c9 as c0
from 
  (select  
        
          pg_catalog.min(
            cast(cast(null as money) as money)) over (partition by ref_0.id order by ref_0.id) as c0, 
        cast(coalesce(ref_0.name,
          ref_0.city) as text) as c1, 
        ref_0.credit as c2, 
        pg_catalog.txid_snapshot_send(
          cast(pg_catalog.txid_current_snapshot() as txid_snapshot)) as c3, 
        ref_0.city as c4, 
        ref_0.city as c5, 
        ref_0.credit as c6, 
        ref_0.city as c7, 
        ref_0.credit as c8, 
        ref_0.city as c9, 
        ref_0.name as c10
      from 
        public.customer as ref_0
      where (cast(null as point) ?- cast(null as point)) 
        or ((cast(null as record) = cast(null as record)) 
          or (cast(null as "timestamp") > cast(null as timestamptz)))) as subq_0
where (cast(nullif(case when cast(null as xid8) = cast(nullif(cast(null as xid8),
            cast(null as xid8)) as xid8) then pg_catalog.int2up(
          cast(cast(null as int2) as int2)) else pg_catalog.int2up(
          cast(cast(null as int2) as int2)) end
        ,
      cast(null as int2)) as int2) > pg_catalog.pg_backend_pid()) 
  or (subq_0.c4 is not NULL)
limit 102;
select  
  pg_catalog.datemultirange() as c0, 
  pg_catalog.random() as c1
from 
  (select  
        case when cast(null as inet) < cast(null as inet) then subq_0.c1 else subq_0.c1 end
           as c0, 
        subq_0.c0 as c1, 
        case when cast(null as lseg) ?|| cast(null as lseg) then ref_0.total else ref_0.total end
           as c2, 
        subq_0.c0 as c3, 
        ref_0.day as c4
      from 
        public.orders as ref_0,
        lateral (select  
              sample_0.quantity as c0, 
              ref_0.id as c1
            from 
              public.item as sample_0 tablesample bernoulli (5) 
            where cast(null as bpchar) ~* sample_0.product
            limit 109) as subq_0
      where true
      limit 142) as subq_1
where subq_1.c3 is NULL
limit 55;
select  
  sample_0.price as c0, 
  sample_0.price as c1, 
  ref_0.total as c2, 
  ref_0.customer_id as c3, 
  sample_0.quantity as c4, 
  ref_0.total as c5, 
  (select note from public.orders limit 1 offset 2)
     as c6, 
  sample_0.order_id as c7, 
  ref_0.customer_id as c8, 
  ref_0.orders as c9
from 
  public.spent as ref_0
    inner join public.item as sample_0 tablesample system (4.8) 
    on (true)
where pg_catalog.pg_database_collation_actual_version(
    cast(pg_catalog.pg_my_temp_schema() as oid)) is not NULL;
select  
  
    pg_catalog.max(
      cast(case when false then cast(null as money) else cast(null as money) end
         as money)) over (partition by subq_0.c0 order by subq_0.c0) as c0, 
  subq_0.c0 as c1
from 
  (select  
        ref_0.id as c0
      from 
        public.customer as ref_0
      where cast(null as int2) <= pg_catalog.pg_trigger_depth()
      limit 100) as subq_0
where cast(coalesce((select orders from public.spent limit 1 offset 6)
      ,
    cast(null as int8)) as int8) <> subq_0.c0;
select  
  sample_0.credit as c0, 
  sample_0.id as c1, 
  case when (cast(null as int2) > (select orders from public.spent limit 1 offset 96)
          ) 
      and (sample_0.id is NULL) then 
      pg_catalog.min(
        cast(sample_0.credit as int4)) over (partition by sample_0.name,sample_0.id,sample_0.id,sample_0.id order by sample_0.city) else 
      pg_catalog.min(
        cast(sample_0.credit as int4)) over (partition by sample_0.name,sample_0.id,sample_0.id,sample_0.id order by sample_0.city) end
     as c2, 
  cast(coalesce(sample_0.credit,
    sample_0.id) as int4) as c3, 
  pg_catalog.pg_stat_clear_snapshot() as c4
from 
  public.customer as sample_0 tablesample bernoulli (8.9) 
where sample_0.credit is NULL
limit 137;
select  
  ref_0.total as c0, 
  52 as c1, 
  ref_0.note as c2, 
  ref_0.id as c3, 
  ref_0.customer_id as c4, 
  pg_catalog.pg_my_temp_schema() as c5, 
  ref_0.total as c6, 
  ref_0.total as c7, 
  79 as c8, 
  pg_catalog.pg_last_wal_replay_lsn() as c9, 
  ref_0.note as c10, 
  ref_0.id as c11
from 
  public.orders as ref_0
where case when cast(null as bpchar) <= cast(null as bpchar) then cast(null as varbit) else cast(null as varbit) end
     > case when cast(nullif(cast(null as bpchar),
        pg_catalog.bpchar(
          cast(cast(null as bpchar) as bpchar),
          cast(ref_0.day as int4),
          cast(false as bool))) as bpchar) !~~ ref_0.note then cast(null as varbit) else cast(null as varbit) end;
select  
  pg_catalog.pg_stat_get_backend_xact_start(
    cast(subq_0.c0 as int4)) as c0, 
  subq_0.c0 as c1, 
  subq_0.c0 as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4, 
  pg_catalog.int4_mul_cash(
    cast(subq_0.c0 as int4),
    cast(cast(null as money) as money)) as c5, 
  subq_0.c0 as c6, 
  subq_0.c0 as c7, 
  subq_0.c0 as c8, 
  subq_0.c0 as c9, 
  subq_0.c0 as c10
from 
  (select  
        sample_0.day as c0
      from 
        public.orders as sample_0 tablesample system (1.6) 
          right join public.orders as ref_0
          on (sample_0.total = ref_0.id )
      where 20 is NULL
      limit 130) as subq_0
where cast(null as record) > case when true then cast(null as record) else cast(null as record) end
    
limit 102;
select  
  ref_0.id as c0
from 
  public.customer as ref_0
where ((ref_0.name is NULL) 
    and (cast(coalesce(case when cast(null as bpchar) !~* ref_0.name then cast(null as circle) else cast(null as circle) end
          ,
        case when (cast(null as float4) >= cast(null as float4)) 
            or (cast(null as anyarray) = cast(null as anyarray)) then pg_catalog.circle_add_pt(
            cast(cast(null as circle) as circle),
            cast(cast(null as point) as point)) else pg_catalog.circle_add_pt(
            cast(cast(null as circle) as circle),
            cast(cast(null as point) as point)) end
          ) as circle) = cast(null as circle))) 
  or (ref_0.name !~* case when case when cast(null as anyarray) <= cast(null as anyarray) then cast(null as date) else cast(null as date) end
           > pg_catalog.clock_timestamp() then ref_0.name else ref_0.name end
      )
limit 83;
select  
  sample_0.price as c0, 
  (select order_id from public.item limit 1 offset 5)
     as c1, 
  sample_0.line as c2
from 
  public.item as sample_0 tablesample system (9.4) 
where sample_0.quantity = cast(coalesce(case when case when cast(null as xid) = cast(null as xid) then pg_catalog.polygon(
            cast(cast(null as path) as path)) else pg_catalog.polygon(
            cast(cast(null as path) as path)) end
           @> case when true then cast(null as polygon) else cast(null as polygon) end
           then case when true then cast(nullif(case when false then cast(null as int2) else cast(null as int2) end
            ,
          cast(null as int2)) as int2) else cast(nullif(case when false then cast(null as int2) else cast(null as int2) end
            ,
          cast(null as int2)) as int2) end
         else case when true then cast(nullif(case when false then cast(null as int2) else cast(null as int2) end
            ,
          cast(null as int2)) as int2) else cast(nullif(case when false then cast(null as int2) else cast(null as int2) end
            ,
          cast(null as int2)) as int2) end
         end
      ,
    pg_catalog.int2up(
      cast(cast(null as int2) as int2))) as int2)
limit 127;
select  
  cast(coalesce(ref_0.credit,
    pg_catalog.btint28cmp(
      cast(cast(null as int2) as int2),
      cast(
        pg_catalog.min(
          cast((select orders from public.spent limit 1 offset 6)
             as int8)) over (partition by ref_0.id,ref_0.city order by ref_0.id) as int8))) as int4) as c0, 
  ref_0.id as c1, 
  ref_0.id as c2, 
  ref_0.credit as c3, 
  ref_0.id as c4, 
  ref_0.credit as c5, 
  ref_0.name as c6, 
  (select id from public.orders limit 1 offset 4)
     as c7, 
  ref_0.id as c8, 
  (select customer_id from public.orders limit 1 offset 1)
     as c9, 
  cast(nullif(pg_catalog.interval_avg(
      cast(cast(null as _interval) as _interval)),
    cast(coalesce(cast(null as "interval"),
      cast(null as "interval")) as "interval")) as "interval") as c10, 
  ref_0.id as c11, 
  
    pg_catalog.covar_samp(
      cast(cast(nullif(cast(null as float8),
        cast(nullif(pg_catalog.pg_notification_queue_usage(),
          cast(null as float8)) as float8)) as float8) as float8),
      cast(pg_catalog.pg_stat_get_checkpoint_write_time() as float8)) over (partition by ref_0.id order by ref_0.credit,ref_0.name,ref_0.city) as c12, 
  ref_0.city as c13, 
  ref_0.credit as c14
from 
  public.customer as ref_0
where (cast(null as int8) <> ref_0.id) 
  and ((68 is not NULL) 
    and (pg_catalog.version() is NULL))
limit 32;
select  
  subq_0.c0 as c0, 
  pg_catalog.pg_stat_get_archiver() as c1
from 
  (select  
        ref_0.orders as c0
      from 
        public.spent as ref_0
          inner join public.orders as ref_1
            inner join public.customer as ref_2
            on (false)
          on (cast(null as float8) > cast(null as float8))
      where case when cast(null as float8) = cast(null as float8) then pg_catalog.inet_client_addr() else pg_catalog.inet_client_addr() end
           > pg_catalog.inet_server_addr()
      limit 115) as subq_0
where subq_0.c0 is not NULL
limit 125;
select  
  ref_0.total as c0
from 
  public.orders as ref_0
    inner join public.orders as ref_1
      left join public.customer as sample_0 tablesample bernoulli (7.4) 
      on (pg_catalog.random() >= case when cast(null as anymultirange) > cast(null as anymultirange) then cast(null as float4) else cast(null as float4) end
            )
    on (ref_0.total = ref_1.id )
where cast(coalesce(sample_0.city,
    ref_0.note) as text) <= pg_catalog.getpgusername()
limit 163;
select  
  subq_1.c0 as c0
from 
  (select  
        subq_0.c0 as c0, 
        52 as c1
      from 
        (select  
              ref_0.name as c0
            from 
              public.customer as ref_0
            where cast(null as float8) >= cast(null as float8)
            limit 63) as subq_0
      where pg_catalog.ts_rank(
          cast(cast(null as tsvector) as tsvector),
          cast(cast(nullif(cast(null as tsquery),
            cast(null as tsquery)) as tsquery) as tsquery)) < cast(null as float8)
      limit 64) as subq_1
where true
limit 169;
select  
  cast(nullif(ref_0.city,
    pg_catalog.pg_get_ruledef(
      cast(pg_catalog.pg_my_temp_schema() as oid),
      cast(pg_catalog.jsonb_path_exists_opr(
        cast(pg_catalog.jsonb_build_array() as jsonb),
        cast(cast(null as jsonpath) as jsonpath)) as bool))) as text) as c0, 
  pg_catalog.pg_stat_get_bgwriter_stat_reset_time() as c1, 
  ref_0.name as c2
from 
  public.customer as ref_0
where ref_0.city ~<=~ ref_0.city
limit 105;
select  
  cast(coalesce(cast(coalesce(sample_0.name,
      sample_0.name) as text),
    sample_0.city) as text) as c0, 
  sample_0.city as c1, 
  sample_0.credit as c2, 
  pg_catalog.hashmacaddrextended(
    cast(case when ((cast(null as tid) >= cast(null as tid)) 
          or (false)) 
        and (sample_0.id is NULL) then cast(coalesce(cast(null as macaddr),
        pg_catalog.macaddr_or(
          cast(cast(null as macaddr) as macaddr),
          cast(cast(null as macaddr) as macaddr))) as macaddr) else cast(coalesce(cast(null as macaddr),
        pg_catalog.macaddr_or(
          cast(cast(null as macaddr) as macaddr),
          cast(cast(null as macaddr) as macaddr))) as macaddr) end
       as macaddr),
    cast(case when (
            pg_catalog.bit_or(
              cast(cast(null as int2) as int2)) over (partition by sample_0.city order by sample_0.credit,sample_0.id,sample_0.name,sample_0.name) is not NULL) 
        or (sample_0.name is NULL) then pg_catalog.pg_stat_get_bgwriter_buf_written_clean() else pg_catalog.pg_stat_get_bgwriter_buf_written_clean() end
       as int8)) as c3, 
  sample_0.city as c4, 
  sample_0.city as c5, 
  sample_0.city as c6, 
  sample_0.id as c7, 
  (select city from public.customer limit 1 offset 33)
     as c8
from 
  public.customer as sample_0 tablesample bernoulli (8.2) 
where cast(null as float8) > cast(null as float8)
limit 122;
select  
  case when pg_catalog.pg_stat_get_buf_alloc() < cast(nullif(sample_0.quantity,
        sample_0.line) as int4) then sample_0.product else sample_0.product end
     as c0, 
  sample_0.order_id as c1
from 
  public.item as sample_0 tablesample bernoulli (1) 
where sample_0.line is NULL
limit 121;
select  
  ref_0.orders as c0, 
  ref_0.orders as c1, 
  pg_catalog.pg_stat_get_checkpoint_sync_time() as c2, 
  52 as c3, 
  ref_0.total as c4, 
  (select product from public.item limit 1 offset 4)
     as c5
from 
  public.spent as ref_0
where pg_catalog.int2um(
    cast(cast(null as int2) as int2)) <= case when (ref_0.orders is not NULL) 
      or (cast(null as point) <@ cast(null as lseg)) then cast(null as int2) else cast(null as int2) end
    
limit 34;
WITH 
jennifer_0 AS (select  
    ref_0.city as c0, 
    1 as c1, 
    ref_0.name as c2, 
    ref_0.name as c3, 
    ref_0.city as c4, 
    ref_0.id as c5, 
    ref_0.city as c6, 
    ref_0.name as c7, 
    ref_0.credit as c8
  from 
    public.customer as ref_0
  where (pg_catalog.namein(
        cast(cast(null as cstring) as cstring)) !~ (select note from public.orders limit 1 offset 35)
        ) 
    and (true)
  limit 39)
select  
    sample_0.product as c0
  from 
    public.item as sample_0 tablesample bernoulli (9.4) 
  where EXISTS (
    select  
        55 as c0, 
        sample_0.order_id as c1, 
        ref_1.product as c2, 
        ref_1.order_id as c3, 
        ref_1.order_id as c4, 
        case when ref_1.quantity is not NULL then ref_1.product else ref_1.product end
           as c5, 
        sample_0.quantity as c6, 
        ref_1.product as c7
      from 
        public.item as ref_1
      where case when cast(null as inet) < cast(null as inet) then cast(nullif(cast(null as record),
            cast(null as record)) as record) else cast(nullif(cast(null as record),
            cast(null as record)) as record) end
           <= case when cast(null as oid) <> cast(null as oid) then cast(null as record) else cast(null as record) end
          
      limit 33)
  limit 63;
select  
  subq_0.c2 as c0, 
  subq_0.c9 as c1, 
  28 as c2, 
  subq_0.c7 as c3, 
  ref_0.city as c4
from 
  public.customer as ref_0,
  lateral (select  
        ref_1.name as c0, 
        ref_1.credit as c1, 
        (select line from public.item limit 1 offset 6)
           as c2, 
        ref_1.credit as c3, 
        ref_1.city as c4, 
        ref_0.city as c5, 
        ref_0.name as c6, 
        ref_0.credit as c7, 
        ref_0.name as c8, 
        ref_0.city as c9
      from 
        public.customer as ref_1
      where EXISTS (
        select  
            ref_0.id as c0, 
            ref_1.id as c1, 
            ref_1.name as c2, 
            sample_0.order_id as c3, 
            sample_0.order_id as c4
          from 
            public.item as sample_0 tablesample system (8.2) 
          where (false) 
            and (cast(null as record) <> cast(null as record))
          limit 149)
      limit 193) as subq_0
where cast(null as date) > pg_catalog.now()
limit 105;
select  
  ref_0.id as c0, 
  (select order_id from public.item limit 1 offset 2)
     as c1
from 
  public.customer as ref_0
where case when case when ((cast(null as macaddr) > cast(null as macaddr)) 
            or (cast(null as anyrange) >= cast(null as anyrange))) 
          and (cast(null as float4) < cast(null as float4)) then case when ref_0.city ~~ ref_0.name then cast(null as xid) else cast(null as xid) end
           else case when ref_0.city ~~ ref_0.name then cast(null as xid) else cast(null as xid) end
           end
         <> cast(null as xid) then cast(null as date) else cast(null as date) end
     <> pg_catalog.to_date(
    cast(cast(null as text) as text),
    cast(ref_0.city as text))
limit 131;
select  
  subq_0.c3 as c0, 
  pg_catalog.pg_log_standby_snapshot() as c1, 
  subq_0.c3 as c2
from 
  (select  
        ref_0.id as c0, 
        ref_0.total as c1, 
        ref_0.note as c2, 
        ref_0.note as c3
      from 
        public.orders as ref_0
      where cast(null as line) ?-| case when (false) 
            or (ref_0.day is NULL) then case when true then cast(null as line) else cast(null as line) end
             else case when true then cast(null as line) else cast(null as line) end
             end
          ) as subq_0
where case when false then pg_catalog.pg_stat_get_buf_written_backend() else pg_catalog.pg_stat_get_buf_written_backend() end
     = case when (EXISTS (
        select  
            subq_0.c2 as c0, 
            ref_1.city as c1, 
            subq_0.c0 as c2, 
            ref_1.name as c3, 
            ref_1.id as c4, 
            subq_0.c1 as c5
          from 
            public.customer as ref_1
          where true
          limit 102)) 
      or (pg_catalog.pg_rotate_logfile() > false) then pg_catalog.int2up(
      cast(cast(null as int2) as int2)) else pg_catalog.int2up(
      cast(cast(null as int2) as int2)) end;
select  
  (select name from public.customer limit 1 offset 1)
     as c0, 
  sample_0.total as c1, 
  subq_0.c6 as c2
from 
  public.orders as sample_0 tablesample bernoulli (9.5) 
    inner join (select  
          ref_0.customer_id as c0, 
          ref_0.orders as c1, 
          ref_0.orders as c2, 
          ref_0.total as c3, 
          ref_0.total as c4, 
          ref_0.total as c5, 
          ref_0.customer_id as c6, 
          ref_0.total as c7
        from 
          public.spent as ref_0
        where case when cast(null as timestamptz) > cast(null as "timestamp") then cast(null as bpchar) else cast(null as bpchar) end
             >= cast(null as bpchar)) as subq_0
    on (cast(null as float4) < cast(null as float4))
where cast(null as timestamptz) >= cast(null as timestamptz);
select  
  subq_1.c0 as c0, 
  pg_catalog.pg_stat_get_wal_receiver() as c1, 
  subq_1.c0 as c2, 
  subq_1.c0 as c3, 
  89 as c4, 
  (select credit from public.customer limit 1 offset 4)
     as c5, 
  (select quantity from public.item limit 1 offset 6)
     as c6, 
  cast(nullif(subq_1.c0,
    subq_1.c0) as int4) as c7, 
  subq_1.c0 as c8
from 
  (select  
        subq_0.c1 as c0
      from 
        public.orders as sample_0 tablesample system (0.9) 
          right join (select  
                17 as c0, 
                ref_0.customer_id as c1, 
                (select orders from public.spent limit 1 offset 56)
                   as c2, 
                (select city from public.customer limit 1 offset 6)
                   as c3, 
                ref_0.day as c4, 
                ref_0.note as c5, 
                ref_0.customer_id as c6, 
                ref_0.note as c7
              from 
                public.orders as ref_0
              where cast(null as circle) = cast(null as circle)) as subq_0
          on (subq_0.c5 ~<~ subq_0.c7)
      where pg_catalog.current_user() is NULL
      limit 87) as subq_1
where subq_1.c0 is NULL
limit 138;
select  
  ref_0.day as c0, 
  subq_0.c0 as c1, 
  ref_0.total as c2, 
  ref_0.note as c3
from 
  public.orders as ref_0
    right join (select  
          sample_0.credit as c0
        from 
          public.customer as sample_0 tablesample bernoulli (9.3) 
        where true) as subq_0
    on (subq_0.c0 is NULL)
where cast(null as float8) = case when case when EXISTS (
          select  
              ref_0.id as c0, 
              ref_0.total as c1, 
              ref_0.day as c2, 
              ref_0.total as c3, 
              ref_0.day as c4, 
              sample_1.total as c5
            from 
              public.orders as sample_1 tablesample system (1.1) 
            where (cast(null as "numeric") = (select pg_catalog.sum(orders) from public.spent)
                  ) 
              or (cast(null as "char") <= cast(null as "char"))
            limit 122) then cast(null as tsvector) else cast(null as tsvector) end
         <> cast(nullif(cast(coalesce(cast(null as tsvector),
          cast(null as tsvector)) as tsvector),
        cast(null as tsvector)) as tsvector) then pg_catalog.pg_notification_queue_usage() else pg_catalog.pg_notification_queue_usage() end
    
limit 185;
select  
  sample_2.product as c0
from 
  (select  
          sample_0.name as c0, 
          (select note from public.orders limit 1 offset 5)
             as c1, 
          sample_0.city as c2
        from 
          public.item as ref_0
            inner join public.customer as sample_0 tablesample system (9.7) 
            on (ref_0.price = sample_0.id )
        where ref_0.order_id is not NULL) as subq_0
    inner join public.orders as sample_1 tablesample system (7.4) 
        inner join public.item as sample_2 tablesample system (3.4) 
        on (true)
      right join (select  
            ref_1.customer_id as c0
          from 
            public.spent as ref_1
          where cast(null as anyrange) && cast(null as anyrange)
          limit 97) as subq_1
      on (subq_1.c0 is not NULL)
    on ((cast(null as "char") <> cast(null as "char")) 
        or ((select orders from public.spent limit 1 offset 6)
             <= cast(nullif(cast(null as int2),
            cast(null as int2)) as int2)))
where (false) 
  and (false)
limit 99;
select  
  sample_0.quantity as c0, 
  sample_0.quantity as c1, 
  sample_0.line as c2, 
  pg_catalog.statement_timestamp() as c3, 
  sample_0.quantity as c4, 
  sample_0.order_id as c5, 
  sample_0.product as c6, 
  sample_0.line as c7
from 
  public.item as sample_0 tablesample bernoulli (2.4) 
where (sample_0.quantity is not NULL) 
  or ((cast(null as "timestamp") >= pg_catalog.pg_stat_get_bgwriter_stat_reset_time()) 
    and (pg_catalog.current_user() >= pg_catalog.current_database()))
limit 18;
select  
  ref_0.line as c0, 
  ref_0.line as c1, 
  ref_0.quantity as c2, 
  31 as c3, 
  ref_0.price as c4, 
  ref_0.order_id as c5
from 
  public.item as ref_0
where ref_0.product <> cast(null as name);
select  
  subq_1.c0 as c0
from 
  (select  
        subq_0.c0 as c0, 
        pg_catalog.jsonb_build_array() as c1
      from 
        (select  
              ref_0.total as c0, 
              ref_0.id as c1
            from 
              public.orders as ref_0
            where (cast(null as "numeric") < (select pg_catalog.stddev_samp(orders) from public.spent)
                  ) 
              and ((false) 
                and (ref_0.day is NULL))
            limit 34) as subq_0
      where cast(nullif(cast(null as name),
          case when cast(null as int8) < cast(null as int2) then cast(null as name) else cast(null as name) end
            ) as name) = cast(coalesce(case when subq_0.c1 is NULL then cast(null as name) else cast(null as name) end
            ,
          cast(coalesce(cast(null as name),
            cast(null as name)) as name)) as name)
      limit 92) as subq_1
where pg_catalog.pg_my_temp_schema() < pg_catalog.pg_my_temp_schema()
limit 129;
select  
  (select id from public.customer limit 1 offset 1)
     as c0
from 
  (select  
          ref_0.customer_id as c0, 
          ref_0.day as c1, 
          (select note from public.orders limit 1 offset 3)
             as c2, 
          ref_0.customer_id as c3, 
          ref_0.id as c4, 
          ref_0.customer_id as c5, 
          ref_0.id as c6, 
          ref_0.day as c7, 
          ref_0.note as c8, 
          ref_0.day as c9, 
          cast(nullif(ref_0.total,
            ref_0.total) as int4) as c10, 
          ref_0.customer_id as c11, 
          case when cast(null as float4) < cast(null as float4) then ref_0.id else ref_0.id end
             as c12, 
          ref_0.total as c13, 
          pg_catalog.tstzmultirange() as c14, 
          ref_0.customer_id as c15
        from 
          public.orders as ref_0
        where false
        limit 15) as subq_0
    left join public.customer as ref_1
    on (subq_0.c10 = ref_1.id )
where case when cast(null as "char") > cast(null as "char") then cast(null as polygon) else cast(null as polygon) end
     &<| cast(null as polygon)
limit 16;
select  
  ref_0.customer_id as c0, 
  ref_0.day as c1, 
  ref_0.total as c2, 
  ref_0.note as c3, 
  ref_0.note as c4, 
  ref_0.day as c5, 
  ref_0.note as c6, 
  ref_0.customer_id as c7, 
  ref_0.note as c8, 
  37 as c9, 
  ref_0.note as c10
from 
  public.orders as ref_0
where EXISTS (
  select  
      ref_0.customer_id as c0, 
      sample_0.id as c1, 
      ref_0.customer_id as c2, 
      sample_0.id as c3, 
      ref_0.note as c4
    from 
      public.customer as sample_0 tablesample bernoulli (2.1) 
        left join public.orders as ref_1
        on (cast(null as anyarray) @> cast(null as anyarray))
    where 83 is NULL
    limit 47)
limit 134;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  pg_catalog.inet_server_addr() as c2, 
  85 as c3
from 
  (select  
        28 as c0, 
        sample_0.credit as c1, 
        sample_0.city as c2
      from 
        public.customer as sample_0 tablesample system (9.1) 
      where pg_catalog.log10(
          cast(pg_catalog.numeric_in(
            cast(cast(null as cstring) as cstring),
            cast(cast(null as oid) as oid),
            cast(42 as int4)) as "numeric")) = cast(null as "numeric")
      limit 85) as subq_0
where case when (((cast(null as circle) && cast(null as circle)) 
          or ((cast(null as path) @> cast(null as point)) 
            and (true))) 
        and (cast(null as polygon) <<| cast(nullif(cast(null as polygon),
            cast(null as polygon)) as polygon))) 
      and (subq_0.c1 is NULL) then case when pg_catalog.namein(
          cast(case when cast(null as polygon) <<| cast(null as polygon) then cast(null as cstring) else cast(null as cstring) end
             as cstring)) < subq_0.c2 then cast(null as money) else cast(null as money) end
       else case when pg_catalog.namein(
          cast(case when cast(null as polygon) <<| cast(null as polygon) then cast(null as cstring) else cast(null as cstring) end
             as cstring)) < subq_0.c2 then cast(null as money) else cast(null as money) end
       end
     = cast(null as money);
select  
  subq_0.c0 as c0
from 
  (select  
        ref_0.id as c0, 
        ref_0.note as c1
      from 
        public.orders as ref_0
      where case when cast(null as uuid) < cast(null as uuid) then cast(null as anymultirange) else cast(null as anymultirange) end
           = case when cast(null as box) >> cast(null as box) then cast(null as anymultirange) else cast(null as anymultirange) end
          ) as subq_0
where (cast(null as anymultirange) = pg_catalog.datemultirange(
      cast(cast(null as _daterange) as _daterange))) 
  and ((pg_catalog.log(
        cast(pg_catalog.numeric_div(
          cast(cast(null as "numeric") as "numeric"),
          cast((select pg_catalog.stddev_samp(orders) from public.spent)
             as "numeric")) as "numeric")) > pg_catalog.numeric(
        cast(case when cast(null as "interval") = cast(null as "interval") then cast(null as jsonb) else cast(null as jsonb) end
           as jsonb))) 
    and (pg_catalog.get_current_ts_config() is not NULL));
select  
  sample_1.credit as c0, 
  pg_catalog.timetz(
    cast(pg_catalog.pg_postmaster_start_time() as timestamptz)) as c1
from 
  public.customer as sample_0 tablesample bernoulli (5.2) 
    left join public.customer as sample_1 tablesample system (5.5) 
      inner join public.spent as ref_0
      on (false)
    on (sample_0.credit = ref_0.customer_id )
where case when true then pg_catalog.tsmultirange() else pg_catalog.tsmultirange() end
     <> case when false then pg_catalog.int4multirange(
      cast(pg_catalog.int4range(
        cast((select customer_id from public.spent limit 1 offset 5)
           as int4),
        cast(ref_0.customer_id as int4),
        cast(sample_0.city as text)) as int4range)) else pg_catalog.int4multirange(
      cast(pg_catalog.int4range(
        cast((select customer_id from public.spent limit 1 offset 5)
           as int4),
        cast(ref_0.customer_id as int4),
        cast(sample_0.city as text)) as int4range)) end
    
limit 84;
select  
  subq_0.c1 as c0, 
  subq_0.c1 as c1, 
  subq_0.c0 as c2
from 
  (select  
        sample_0.day as c0, 
        sample_0.note as c1, 
        sample_0.day as c2
      from 
        public.orders as sample_0 tablesample system (6.9) 
      where (cast(null as int8) = sample_0.day) 
        and (((((cast(null as box) < cast(null as box)) 
                or (sample_0.total is not NULL)) 
              and (cast(null as bpchar) > cast(null as bpchar))) 
            and (cast(null as float4) < cast(null as float4))) 
          and (cast(null as polygon) &< cast(null as polygon)))) as subq_0
where case when case when true then case when (select city from public.customer limit 1 offset 1)
               is not NULL then cast(null as bpchar) else cast(null as bpchar) end
           else case when (select city from public.customer limit 1 offset 1)
               is not NULL then cast(null as bpchar) else cast(null as bpchar) end
           end
         !~~ subq_0.c1 then cast(null as timetz) else cast(null as timetz) end
     <= cast(null as timetz)
limit 103;
select  
  pg_catalog.inet_server_port() as c0
from 
  (select  
          sample_0.id as c0, 
          sample_0.id as c1
        from 
          public.customer as sample_0 tablesample system (9.6) 
        where sample_0.name ~ sample_0.name
        limit 13) as subq_0
    inner join public.orders as sample_1 tablesample bernoulli (7) 
    on (cast(null as tsquery) @> cast(null as tsquery)),
  lateral (select  
        subq_0.c1 as c0
      from 
        public.customer as sample_2 tablesample system (1) 
      where pg_catalog.pg_ts_template_is_visible(
          cast(cast(nullif(cast(null as oid),
            cast(null as oid)) as oid) as oid)) is not NULL) as subq_1
where pg_catalog.random() = pg_catalog.float4up(
    cast(cast(null as float4) as float4))
limit 182;
select  
  pg_catalog.pg_switch_wal() as c0, 
  cast(coalesce(pg_catalog.pg_log_standby_snapshot(),
    case when ((cast(null as point) <@ cast(null as polygon)) 
          and (sample_0.line is NULL)) 
        and (cast(null as "numeric") = pg_catalog.mod(
            cast(cast(null as "numeric") as "numeric"),
            cast((select pg_catalog.avg(orders) from public.spent)
               as "numeric"))) then pg_catalog.pg_lsn_larger(
        cast(pg_catalog.pg_logical_emit_message(
          cast(case when cast(null as anyarray) <@ cast(null as anyarray) then false else false end
             as bool),
          cast(pg_catalog.system_user() as text),
          cast(cast(null as bytea) as bytea)) as pg_lsn),
        cast(cast(null as pg_lsn) as pg_lsn)) else pg_catalog.pg_lsn_larger(
        cast(pg_catalog.pg_logical_emit_message(
          cast(case when cast(null as anyarray) <@ cast(null as anyarray) then false else false end
             as bool),
          cast(pg_catalog.system_user() as text),
          cast(cast(null as bytea) as bytea)) as pg_lsn),
        cast(cast(null as pg_lsn) as pg_lsn)) end
      ) as pg_lsn) as c1, 
  sample_0.product as c2, 
  sample_0.order_id as c3
from 
  public.item as sample_0 tablesample system (2.9) 
where cast(nullif(sample_0.order_id,
    sample_0.order_id) as int4) is NULL;
select  
  case when cast(nullif(ref_0.name,
        ref_0.city) as text) is NULL then ref_0.city else ref_0.city end
     as c0, 
  48 as c1, 
  ref_0.credit as c2, 
  ref_0.name as c3
from 
  public.customer as ref_0
where cast(null as bpchar) !~~* ref_0.name;
select  
  ref_2.name as c0, 
  ref_2.id as c1, 
  49 as c2
from 
  public.spent as ref_0
    left join (select  
            ref_1.quantity as c0, 
            ref_1.product as c1, 
            ref_1.price as c2, 
            ref_1.quantity as c3, 
            ref_1.quantity as c4, 
            1 as c5, 
            ref_1.price as c6, 
            ref_1.product as c7, 
            ref_1.order_id as c8, 
            ref_1.product as c9, 
            ref_1.quantity as c10, 
            ref_1.order_id as c11, 
            ref_1.quantity as c12
          from 
            public.item as ref_1
          where ref_1.price is not NULL) as subq_0
      left join public.customer as ref_2
      on (subq_0.c9 = ref_2.name )
    on (ref_0.customer_id = subq_0.c0 )
where ref_2.name is NULL
limit 150;
select  
  ref_0.note as c0, 
  ref_0.note as c1, 
  (select line from public.item limit 1 offset 1)
     as c2
from 
  public.orders as ref_0
where (false) 
  and (cast(nullif(cast(null as int2),
      cast(null as int2)) as int2) >= case when EXISTS (
        select  
            ref_1.order_id as c0, 
            ref_1.line as c1, 
            ref_1.product as c2, 
            ref_1.product as c3
          from 
            public.item as ref_1
          where cast(null as tsvector) = cast(null as tsvector)
          limit 47) then pg_catalog.int2(
        cast((select orders from public.spent limit 1 offset 6)
           as int8)) else pg_catalog.int2(
        cast((select orders from public.spent limit 1 offset 6)
           as int8)) end
      );
select  
  subq_2.c0 as c0, 
  subq_2.c6 as c1
from 
  (select  
        subq_1.c1 as c0, 
        (select price from public.item limit 1 offset 2)
           as c1, 
        subq_1.c0 as c2, 
        subq_1.c0 as c3, 
        subq_1.c0 as c4, 
        (select quantity from public.item limit 1 offset 2)
           as c5, 
        subq_1.c0 as c6, 
        (select id from public.customer limit 1 offset 3)
           as c7
      from 
        (select  
              subq_0.c0 as c0, 
              subq_0.c0 as c1
            from 
              public.spent as ref_0,
              lateral (select  
                    ref_0.customer_id as c0
                  from 
                    public.item as ref_1
                  where false
                  limit 129) as subq_0
            where EXISTS (
              select  
                  ref_2.day as c0, 
                  subq_0.c0 as c1
                from 
                  public.orders as ref_2
                where (false) 
                  and (cast(null as money) = cast(null as money)))
            limit 143) as subq_1
      where false) as subq_2
where pg_catalog.getdatabaseencoding() <= pg_catalog.current_schema()
limit 131;
select  
  sample_0.credit as c0, 
  sample_0.credit as c1, 
  case when (cast(null as name) >= case when EXISTS (
            select  
                ref_0.line as c0, 
                ref_0.line as c1, 
                ref_0.price as c2, 
                sample_0.city as c3
              from 
                public.item as ref_0
              where sample_0.id is NULL
              limit 107) then cast(null as name) else cast(null as name) end
          ) 
      and (sample_0.credit is not NULL) then sample_0.credit else sample_0.credit end
     as c2, 
  sample_0.city as c3, 
  pg_catalog.acosd(
    cast(cast(nullif(pg_catalog.dist_pathp(
        cast(cast(null as path) as path),
        cast(case when cast(null as tsquery) >= cast(null as tsquery) then cast(null as point) else cast(null as point) end
           as point)),
      cast(null as float8)) as float8) as float8)) as c4, 
  sample_0.name as c5, 
  sample_0.name as c6, 
  sample_0.name as c7, 
  sample_0.city as c8, 
  sample_0.city as c9, 
  sample_0.credit as c10
from 
  public.customer as sample_0 tablesample system (1.4) 
where pg_catalog.gen_random_uuid() > pg_catalog.gen_random_uuid();
select  
  case when subq_0.c3 is NULL then (select quantity from public.item limit 1 offset 3)
       else (select quantity from public.item limit 1 offset 3)
       end
     as c0, 
  subq_0.c0 as c1
from 
  (select  
        ref_0.id as c0, 
        ref_0.id as c1, 
        ref_0.id as c2, 
        (select id from public.orders limit 1 offset 2)
           as c3
      from 
        public.customer as ref_0
      where ref_0.name is NULL
      limit 99) as subq_0
where pg_catalog.pg_conf_load_time() < cast(null as date);
select  
  
    pg_catalog.var_pop(
      cast(pg_catalog.pg_database_size(
        cast(pg_catalog.name(
          cast(pg_catalog.varchar(
            cast(cast(null as "varchar") as "varchar"),
            cast(subq_0.c1 as int4),
            cast(true as bool)) as "varchar")) as name)) as int8)) over (partition by subq_0.c1 order by subq_0.c0) as c0, 
  23 as c1, 
  subq_0.c0 as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4
from 
  (select  
        ref_0.city as c0, 
        ref_0.credit as c1
      from 
        public.customer as ref_0
      where cast(null as "char") > cast(nullif(pg_catalog.char(
            cast(ref_0.credit as int4)),
          cast(null as "char")) as "char")) as subq_0
where pg_catalog.concat(
    cast(subq_0.c1 as int4)) is NULL;
select  
  sample_0.line as c0, 
  99 as c1
from 
  public.item as sample_0 tablesample system (4.4) 
where false
limit 105;
select  
  cast(coalesce(sample_0.name,
    sample_0.name) as text) as c0
from 
  public.customer as sample_0 tablesample system (1.9) 
where (select orders from public.spent limit 1 offset 88)
     = cast(coalesce(cast(null as int2),
    pg_catalog.int2div(
      cast(cast(null as int2) as int2),
      cast(pg_catalog.int2shr(
        cast(pg_catalog.int2um(
          cast(cast(null as int2) as int2)) as int2),
        cast(cast(nullif(sample_0.id,
          (select pg_catalog.bit_xor(order_id) from public.item)
            ) as int4) as int4)) as int2))) as int2)
limit 82;
select  
  cast(nullif(sample_0.note,
    sample_0.note) as text) as c0, 
  sample_0.note as c1
from 
  public.orders as sample_0 tablesample bernoulli (7.9) 
where (cast(null as xid) <> sample_0.total) 
  and (sample_0.id is not NULL)
limit 107;
select  
  ref_0.total as c0, 
  ref_0.total as c1
from 
  public.spent as ref_0
where ((((false) 
        and (pg_catalog.varbit_in(
            cast(cast(null as cstring) as cstring),
            cast(cast(null as oid) as oid),
            cast(ref_0.customer_id as int4)) < case when ((cast(null as "char") < cast(null as "char")) 
                and ((cast(null as polygon) && cast(null as polygon)) 
                  or (cast(null as macaddr) > cast(null as macaddr)))) 
              or (cast(null as "timestamp") > cast(null as date)) then cast(null as varbit) else cast(null as varbit) end
            )) 
      and (true)) 
    or (cast(null as box) = cast(nullif(case when EXISTS (
            select  
                ref_1.customer_id as c0, 
                ref_0.total as c1, 
                ref_1.customer_id as c2, 
                ref_1.customer_id as c3, 
                ref_0.customer_id as c4
              from 
                public.spent as ref_1
              where cast(null as lseg) ?# cast(null as lseg)
              limit 97) then cast(null as box) else cast(null as box) end
          ,
        pg_catalog.box(
          cast(case when cast(null as float4) <> cast(null as float8) then cast(null as polygon) else cast(null as polygon) end
             as polygon))) as box))) 
  and (ref_0.total is NULL);
select  
  sample_0.note as c0, 
  
    pg_catalog.min(
      cast(pg_catalog.inet_server_addr() as inet)) over (partition by sample_0.customer_id order by sample_0.day) as c1, 
  cast(coalesce(sample_0.day,
    cast(nullif(sample_0.total,
      sample_0.id) as int4)) as int4) as c2, 
  sample_0.day as c3, 
  sample_0.day as c4
from 
  public.orders as sample_0 tablesample bernoulli (7.8) 
where sample_0.day is NULL
limit 98;
select  
  sample_0.name as c0, 
  (select orders from public.spent limit 1 offset 4)
     as c1, 
  sample_0.city as c2, 
  sample_0.credit as c3
from 
  public.customer as sample_0 tablesample system (6.9) 
where pg_catalog.interval_pl_timestamp(
    cast(cast(null as "interval") as "interval"),
    cast(case when EXISTS (
        select  
            sample_0.credit as c0, 
            sample_1.credit as c1
          from 
            public.customer as sample_1 tablesample system (9.3) 
          where (sample_1.credit is not NULL) 
            or (cast(null as float8) > cast(null as float4))
          limit 73) then pg_catalog.timestamp_pl_interval(
        cast(cast(null as "timestamp") as "timestamp"),
        cast(cast(null as "interval") as "interval")) else pg_catalog.timestamp_pl_interval(
        cast(cast(null as "timestamp") as "timestamp"),
        cast(cast(null as "interval") as "interval")) end
       as "timestamp")) >= pg_catalog.pg_xact_commit_timestamp(
    cast(cast(null as xid) as xid));
select  
  sample_0.note as c0, 
  sample_0.customer_id as c1, 
  31 as c2, 
  case when (case when cast(null as "timestamp") <= cast(null as "timestamp") then cast(null as bpchar) else cast(null as bpchar) end
           <= 
          pg_catalog.min(
            cast(cast(null as bpchar) as bpchar)) over (partition by sample_0.day order by sample_0.customer_id)) 
      or (
          pg_catalog.sum(
            cast(cast(null as float4) as float4)) over (partition by sample_0.id order by sample_0.total) <> 
          pg_catalog.sum(
            cast(cast(null as float4) as float4)) over (partition by sample_0.note order by sample_0.customer_id)) then sample_0.id else sample_0.id end
     as c3, 
  case when pg_catalog.numeric_exp(
        cast(case when false then pg_catalog.numeric_uminus(
            cast((select pg_catalog.variance(id) from public.orders)
               as "numeric")) else pg_catalog.numeric_uminus(
            cast((select pg_catalog.variance(id) from public.orders)
               as "numeric")) end
           as "numeric")) >= cast(null as "numeric") then sample_0.customer_id else sample_0.customer_id end
     as c4
from 
  public.orders as sample_0 tablesample system (4.8) 
where sample_0.note ~~* sample_0.note;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  55 as c2
from 
  (select  
        (select product from public.item limit 1 offset 1)
           as c0
      from 
        public.customer as ref_0
      where case when ref_0.name is not NULL then case when cast(null as tsquery) <> cast(null as tsquery) then cast(null as polygon) else cast(null as polygon) end
             else case when cast(null as tsquery) <> cast(null as tsquery) then cast(null as polygon) else cast(null as polygon) end
             end
           @> cast(null as polygon)
      limit 94) as subq_0
where subq_0.c0 is not NULL
limit 90;
WITH 
jennifer_0 AS (select  
    sample_0.price as c0, 
    sample_0.price as c1, 
    sample_0.order_id as c2, 
    sample_0.product as c3, 
    sample_0.quantity as c4, 
    sample_0.product as c5
  from 
    public.item as sample_0 tablesample bernoulli (4.2) 
  where cast(coalesce(cast(null as circle),
      cast(null as circle)) as circle) <> cast(null as circle)
  limit 134)
select  
    sample_1.city as c0
  from 
    public.customer as sample_1 tablesample bernoulli (7.9) 
  where cast(null as int2) <> pg_catalog.pg_stat_get_db_xact_rollback(
      cast(case when cast(null as circle) <<| case when cast(null as bpchar) ~<=~ cast(null as bpchar) then cast(null as circle) else cast(null as circle) end
             then cast(null as oid) else cast(null as oid) end
         as oid))
  limit 136;
select  
  pg_catalog.version() as c0, 
  69 as c1, 
  
    pg_catalog.min(
      cast(cast(null as pg_lsn) as pg_lsn)) over (partition by subq_0.c2 order by subq_0.c2) as c2
from 
  (select  
        ref_0.orders as c0, 
        ref_0.customer_id as c1, 
        ref_0.total as c2, 
        ref_0.total as c3, 
        ref_0.customer_id as c4, 
        ref_0.orders as c5
      from 
        public.spent as ref_0
      where ref_0.total is not NULL
      limit 35) as subq_0
where pg_catalog.regconfigsend(
    cast(pg_catalog.get_current_ts_config() as regconfig)) ~~ pg_catalog.path_send(
    cast(case when cast(nullif(case when cast(null as name) <> cast(null as text) then cast(null as timetz) else cast(null as timetz) end
            ,
          cast(null as timetz)) as timetz) = cast(null as timetz) then cast(null as path) else cast(null as path) end
       as path))
limit 135;
select  
  91 as c0, 
  cast(coalesce(subq_0.c0,
    ref_0.quantity) as int4) as c1, 
  ref_0.quantity as c2, 
  subq_0.c0 as c3, 
  cast(coalesce(ref_0.price,
    subq_0.c3) as int4) as c4, 
  subq_0.c0 as c5, 
  pg_catalog.pg_stat_get_wal() as c6, 
  subq_0.c3 as c7, 
  subq_0.c4 as c8, 
  subq_0.c0 as c9, 
  (select orders from public.spent limit 1 offset 1)
     as c10
from 
  public.item as ref_0
    inner join (select  
          86 as c0, 
          sample_0.city as c1, 
          sample_0.city as c2, 
          sample_0.credit as c3, 
          sample_0.city as c4, 
          sample_0.name as c5, 
          sample_0.city as c6
        from 
          public.customer as sample_0 tablesample system (4.9) 
        where (false) 
          and (cast(null as oidvector) = cast(null as oidvector))
        limit 78) as subq_0
    on (ref_0.order_id = subq_0.c0 )
where pg_catalog.pg_stat_get_checkpoint_sync_time() <= cast(null as float4)
limit 40;
select  
  subq_0.c1 as c0, 
  97 as c1, 
  subq_0.c1 as c2
from 
  (select  
        sample_0.order_id as c0, 
        41 as c1, 
        sample_0.price as c2
      from 
        public.customer as ref_0
          inner join public.orders as ref_1
              inner join public.item as sample_0 tablesample system (8.1) 
              on (((cast(null as "bit") > cast(null as "bit")) 
                    or (cast(null as bpchar) ~>~ cast(null as bpchar))) 
                  and (cast(null as timestamptz) <= cast(null as timestamptz)))
            left join public.customer as ref_2
            on (ref_1.id = ref_2.id )
          on (ref_0.city = ref_1.note )
      where cast(null as polygon) &> cast(null as polygon)
      limit 125) as subq_0
where cast(coalesce(pg_catalog.oidvectorin(
      cast(cast(null as cstring) as cstring)),
    cast(null as oidvector)) as oidvector) >= pg_catalog.oidvectorin(
    cast(cast(null as cstring) as cstring))
limit 53;
select  
  43 as c0, 
  sample_0.id as c1, 
  sample_0.note as c2, 
  pg_catalog.pg_notification_queue_usage() as c3, 
  (select pg_catalog.sum(order_id) from public.item)
     as c4, 
  sample_0.note as c5, 
  pg_catalog.int4mul(
    cast(sample_0.id as int4),
    cast(25 as int4)) as c6
from 
  public.orders as sample_0 tablesample system (6.7) 
where sample_0.day is not NULL;
select  
  sample_0.name as c0
from 
  public.customer as sample_0 tablesample system (8.5) 
where true
limit 107;
select  
  sample_0.total as c0, 
  sample_0.total as c1, 
  pg_catalog.tstzmultirange() as c2, 
  (select customer_id from public.spent limit 1 offset 6)
     as c3, 
  sample_0.customer_id as c4, 
  sample_0.id as c5
from 
  public.orders as sample_0 tablesample system (6.8) 
where pg_catalog.tsmultirange() is not NULL;
select  
  ref_0.quantity as c0
from 
  public.item as ref_0
where case when case when ((select orders from public.spent limit 1 offset 1)
               >= cast(null as int2)) 
          and (cast(null as "interval") >= cast(null as "interval")) then cast(null as tid) else cast(null as tid) end
         <= cast(null as tid) then cast(null as date) else cast(null as date) end
     = pg_catalog.pg_conf_load_time();
select  
  sample_0.note as c0, 
  sample_0.customer_id as c1, 
  sample_0.id as c2, 
  sample_0.total as c3, 
  pg_catalog.any_out(
    cast(sample_0.note as text)) as c4, 
  82 as c5, 
  sample_0.id as c6, 
  sample_0.total as c7, 
  sample_0.day as c8
from 
  public.orders as sample_0 tablesample bernoulli (3.1) 
where pg_catalog.jsonb_build_object() @@ cast(null as jsonpath)
limit 109;
select  
  (select id from public.orders limit 1 offset 4)
     as c0, 
  sample_0.id as c1, 
  2 as c2, 
  sample_0.id as c3, 
  sample_0.credit as c4
from 
  public.customer as sample_0 tablesample bernoulli (3.5) 
where pg_catalog.datemultirange() > pg_catalog.int4multirange(
    cast(pg_catalog.int4range(
      cast(sample_0.id as int4),
      cast(sample_0.id as int4),
      cast(sample_0.name as text)) as int4range));
select  
  ref_0.day as c0
from 
  public.orders as ref_0
where false
limit 112;
select  
  sample_0.product as c0, 
  pg_catalog.pg_client_encoding() as c1, 
  sample_0.product as c2, 
  pg_catalog.pg_notification_queue_usage() as c3, 
  sample_0.line as c4, 
  sample_0.price as c5, 
  sample_0.quantity as c6, 
  sample_0.order_id as c7, 
  sample_0.line as c8, 
  sample_0.price as c9, 
  sample_0.quantity as c10, 
  sample_0.price as c11, 
  sample_0.product as c12
from 
  public.item as sample_0 tablesample bernoulli (6.2) 
where (pg_catalog.numrange(
      cast(cast(null as "numeric") as "numeric"),
      cast(cast(coalesce(pg_catalog.extract(
          cast(sample_0.product as text),
          cast(cast(null as timestamptz) as timestamptz)),
        (select pg_catalog.var_pop(id) from public.customer)
          ) as "numeric") as "numeric")) &> cast(nullif(pg_catalog.tstzmultirange(),
      cast(null as anymultirange)) as anymultirange)) 
  and (pg_catalog.pg_current_logfile() ~~ pg_catalog.pg_export_snapshot())
limit 83;
select  
  subq_0.c0 as c0
from 
  (select  
        57 as c0
      from 
        public.item as ref_0
      where true
      limit 123) as subq_0
where (((subq_0.c0 is not NULL) 
      or (case when cast(null as tsquery) = cast(null as tsquery) then cast(coalesce(cast(null as macaddr),
            cast(null as macaddr)) as macaddr) else cast(coalesce(cast(null as macaddr),
            cast(null as macaddr)) as macaddr) end
           >= cast(null as macaddr))) 
    or ((true) 
      or (((select pg_catalog.min(note) from public.orders)
             <= case when (cast(null as "numeric") = cast(null as "numeric")) 
              and (cast(null as path) > cast(null as path)) then (select product from public.item limit 1 offset 5)
               else (select product from public.item limit 1 offset 5)
               end
            ) 
        or (cast(null as anyrange) << cast(null as anyrange))))) 
  and (false)
limit 62;
select  
  sample_0.city as c0, 
  sample_0.name as c1, 
  sample_1.total as c2, 
  sample_1.day as c3, 
  sample_1.note as c4, 
  sample_0.credit as c5, 
  pg_catalog.pg_notification_queue_usage() as c6, 
  sample_1.note as c7, 
  sample_1.day as c8
from 
  public.customer as sample_0 tablesample system (7.4) 
    left join public.orders as sample_1 tablesample bernoulli (0.4) 
    on ((pg_catalog.getpgusername() = pg_catalog.getdatabaseencoding()) 
        or (case when sample_1.day is NULL then cast(null as box) else cast(null as box) end
             && pg_catalog.box(
            cast(cast(null as point) as point))))
where 37 is NULL;
select  
  29 as c0, 
  (select orders from public.spent limit 1 offset 5)
     as c1, 
  pg_catalog.nummultirange() as c2, 
  ref_0.total as c3, 
  ref_0.total as c4, 
  (select order_id from public.item limit 1 offset 1)
     as c5, 
  ref_0.customer_id as c6, 
  62 as c7, 
  63 as c8
from 
  public.orders as ref_0
where pg_catalog.gen_random_uuid() > pg_catalog.gen_random_uuid()
limit 63;
select  
  subq_0.c2 as c0, 
  pg_catalog.pg_stat_get_bgwriter_maxwritten_clean() as c1, 
  42 as c2
from 
  (select  
        sample_0.order_id as c0, 
        sample_0.order_id as c1, 
        sample_0.line as c2, 
        sample_0.price as c3, 
        92 as c4, 
        sample_0.price as c5, 
        sample_0.quantity as c6, 
        (select customer_id from public.spent limit 1 offset 2)
           as c7, 
        sample_0.line as c8, 
        sample_0.quantity as c9, 
        sample_0.price as c10, 
        (select city from public.customer limit 1 offset 2)
           as c11
      from 
        public.item as sample_0 tablesample bernoulli (0.1) 
      where case when cast(null as anymultirange) &> cast(null as anymultirange) then cast(null as timestamptz) else cast(null as timestamptz) end
           < cast(null as timestamptz)
      limit 80) as subq_0
where false
limit 59;
select  
  sample_0.total as c0
from 
  public.orders as sample_0 tablesample system (9.2) 
where (cast(null as lseg) = cast(coalesce(cast(coalesce(cast(null as lseg),
        case when false then cast(null as lseg) else cast(null as lseg) end
          ) as lseg),
      case when EXISTS (
          select  
              sample_0.customer_id as c0, 
              ref_0.orders as c1
            from 
              public.spent as ref_0
            where ref_0.customer_id is NULL
            limit 113) then cast(nullif(cast(coalesce(cast(null as lseg),
            cast(null as lseg)) as lseg),
          cast(null as lseg)) as lseg) else cast(nullif(cast(coalesce(cast(null as lseg),
            cast(null as lseg)) as lseg),
          cast(null as lseg)) as lseg) end
        ) as lseg)) 
  or (sample_0.id is not NULL)
limit 143;
select  
  ref_1.id as c0
from 
  public.customer as ref_0
    left join public.customer as ref_1
    on (ref_0.city = ref_1.name )
where (true) 
  or (ref_1.city is NULL)
limit 102;
select  
  ref_0.total as c0, 
  subq_0.c2 as c1, 
  subq_0.c7 as c2, 
  cast(nullif(pg_catalog.pg_stat_get_buf_fsync_backend(),
    ref_0.total) as int8) as c3
from 
  public.spent as ref_0
    inner join (select  
          ref_1.note as c0, 
          ref_1.id as c1, 
          pg_catalog.pg_client_encoding() as c2, 
          ref_1.day as c3, 
          ref_1.total as c4, 
          (select line from public.item limit 1 offset 2)
             as c5, 
          ref_1.note as c6, 
          ref_1.note as c7, 
          ref_1.customer_id as c8
        from 
          public.orders as ref_1
        where pg_catalog.numeric_uplus(
            cast(cast(null as "numeric") as "numeric")) >= case when ref_1.day is not NULL then cast(null as "numeric") else cast(null as "numeric") end
            ) as subq_0
    on (true)
where case when subq_0.c4 <> ref_0.orders then pg_catalog.float4(
      cast(cast(nullif(cast(null as int2),
        pg_catalog.int2mul(
          cast(cast(null as int2) as int2),
          cast(cast(null as int2) as int2))) as int2) as int2)) else pg_catalog.float4(
      cast(cast(nullif(cast(null as int2),
        pg_catalog.int2mul(
          cast(cast(null as int2) as int2),
          cast(cast(null as int2) as int2))) as int2) as int2)) end
     <> cast(null as float4)
limit 22;
select  
  ref_0.credit as c0, 
  ref_0.id as c1, 
  ref_0.id as c2
from 
  public.customer as ref_0
where (cast(null as int8) <> pg_catalog.inet_client_port()) 
  and ((pg_catalog.int8div(
        cast((select orders from public.spent limit 1 offset 5)
           as int8),
        cast(pg_catalog.pg_stat_get_buf_fsync_backend() as int8)) = pg_catalog.gin_clean_pending_list(
        cast(pg_catalog.regclassin(
          cast(case when cast(null as "interval") <= cast(null as "interval") then cast(null as cstring) else cast(null as cstring) end
             as cstring)) as regclass))) 
    or (pg_catalog.to_tsquery(
        cast(cast(nullif((select name from public.customer limit 1 offset 5)
            ,
          ref_0.name) as text) as text)) <> case when cast(coalesce(cast(null as line),
            cast(null as line)) as line) ?# case when false then cast(null as line) else cast(null as line) end
             then pg_catalog.tsqueryin(
          cast(cast(null as cstring) as cstring)) else pg_catalog.tsqueryin(
          cast(cast(null as cstring) as cstring)) end
        ))
limit 187;
select  
  ref_0.total as c0
from 
  public.spent as ref_0
where (cast(coalesce(cast(coalesce(cast(null as circle),
        cast(null as circle)) as circle),
      pg_catalog.circle_sub_pt(
        cast(cast(null as circle) as circle),
        cast(cast(null as point) as point))) as circle) <> case when true then case when ((cast(null as anyrange) &> cast(null as anymultirange)) 
            and (cast(null as date) = cast(null as "timestamp"))) 
          or (ref_0.customer_id is not NULL) then pg_catalog.circle_div_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point)) else pg_catalog.circle_div_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point)) end
         else case when ((cast(null as anyrange) &> cast(null as anymultirange)) 
            and (cast(null as date) = cast(null as "timestamp"))) 
          or (ref_0.customer_id is not NULL) then pg_catalog.circle_div_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point)) else pg_catalog.circle_div_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point)) end
         end
      ) 
  and (ref_0.customer_id is NULL);
select  
  ref_0.orders as c0, 
  11 as c1, 
  pg_catalog.get_current_ts_config() as c2, 
  subq_0.c0 as c3, 
  sample_0.day as c4, 
  sample_0.day as c5, 
  pg_catalog.nummultirange() as c6
from 
  public.orders as sample_0 tablesample system (5.2) 
      inner join public.spent as ref_0
      on ((cast(null as int2) = ref_0.customer_id) 
          and (false))
    left join (select  
          sample_1.product as c0, 
          sample_1.line as c1
        from 
          public.item as sample_1 tablesample system (3.1) 
        where sample_1.quantity is NULL) as subq_0
    on (cast(null as polygon) &<| pg_catalog.polygon(
          cast(cast(null as path) as path)))
where ((((pg_catalog.range_before_multirange(
            cast(cast(null as anyrange) as anyrange),
            cast(cast(null as anymultirange) as anymultirange)) is not NULL) 
        and (cast(coalesce(cast(null as name),
            cast(null as name)) as name) < case when ref_0.customer_id is not NULL then subq_0.c0 else subq_0.c0 end
            )) 
      or (cast(null as oidvector) <= pg_catalog.oidvectorin(
          cast(cast(null as cstring) as cstring)))) 
    or (true)) 
  or (subq_0.c0 is NULL);
select  
  sample_0.name as c0, 
  pg_catalog.pg_rotate_logfile_old() as c1, 
  sample_0.name as c2, 
  sample_0.city as c3, 
  sample_0.name as c4
from 
  public.customer as sample_0 tablesample system (4.4) 
where pg_catalog.nummultirange() is NULL
limit 99;
select  
  cast(coalesce(ref_0.total,
    
      pg_catalog.bit_and(
        cast(ref_0.orders as int8)) over (partition by ref_0.customer_id order by ref_0.orders,ref_0.total,ref_0.orders)) as int8) as c0
from 
  public.spent as ref_0
where cast(nullif(case when case when false then cast(null as anyrange) else cast(null as anyrange) end
           >> case when EXISTS (
            select  
                ref_0.customer_id as c0, 
                sample_0.id as c1, 
                ref_0.orders as c2, 
                sample_0.id as c3, 
                ref_0.total as c4, 
                sample_0.day as c5, 
                sample_0.customer_id as c6, 
                ref_0.orders as c7, 
                sample_0.total as c8, 
                ref_0.customer_id as c9, 
                ref_0.customer_id as c10
              from 
                public.orders as sample_0 tablesample bernoulli (0.5) 
              where true
              limit 124) then pg_catalog.tsmultirange() else pg_catalog.tsmultirange() end
           then cast(null as path) else cast(null as path) end
      ,
    cast(null as path)) as path) >= pg_catalog.path_in(
    cast(pg_catalog.any_out(
      cast(ref_0.total as int8)) as cstring));
select  
  pg_catalog.pg_export_snapshot() as c0, 
  sample_0.id as c1, 
  sample_0.note as c2, 
  20 as c3
from 
  public.orders as sample_0 tablesample system (2.4) 
where case when case when sample_0.total is NULL then cast(coalesce(case when cast(null as jsonb) @> cast(null as jsonb) then cast(null as circle) else cast(null as circle) end
            ,
          cast(null as circle)) as circle) else cast(coalesce(case when cast(null as jsonb) @> cast(null as jsonb) then cast(null as circle) else cast(null as circle) end
            ,
          cast(null as circle)) as circle) end
         <<| cast(null as circle) then sample_0.note else sample_0.note end
     < (select note from public.orders limit 1 offset 2);
select  
  ref_0.id as c0, 
  ref_0.id as c1, 
  case when case when cast(null as name) !~~* (select product from public.item limit 1 offset 4)
             then case when cast(null as lseg) ?-| cast(null as lseg) then 
            pg_catalog.min(
              cast(cast(null as "timestamp") as "timestamp")) over (partition by ref_0.name,ref_0.id,ref_0.city,ref_0.credit order by ref_0.name) else 
            pg_catalog.min(
              cast(cast(null as "timestamp") as "timestamp")) over (partition by ref_0.name,ref_0.id,ref_0.city,ref_0.credit order by ref_0.name) end
           else case when cast(null as lseg) ?-| cast(null as lseg) then 
            pg_catalog.min(
              cast(cast(null as "timestamp") as "timestamp")) over (partition by ref_0.name,ref_0.id,ref_0.city,ref_0.credit order by ref_0.name) else 
            pg_catalog.min(
              cast(cast(null as "timestamp") as "timestamp")) over (partition by ref_0.name,ref_0.id,ref_0.city,ref_0.credit order by ref_0.name) end
           end
         < cast(null as date) then ref_0.name else ref_0.name end
     as c2
from 
  public.customer as ref_0
where pg_catalog.now() is not NULL
limit 20;
select  
  subq_0.c7 as c0, 
  cast(coalesce(pg_catalog.int4multirange(
      cast(cast(nullif(pg_catalog.int4range(
          cast((select order_id from public.item limit 1 offset 5)
             as int4),
          cast(subq_0.c7 as int4)),
        case when false then case when cast(null as money) <= cast(null as money) then cast(null as int4range) else cast(null as int4range) end
             else case when cast(null as money) <= cast(null as money) then cast(null as int4range) else cast(null as int4range) end
             end
          ) as int4range) as int4range)),
    case when true then pg_catalog.int4multirange() else pg_catalog.int4multirange() end
      ) as int4multirange) as c1, 
  subq_0.c1 as c2
from 
  (select  
        ref_0.line as c0, 
        ref_0.product as c1, 
        ref_0.product as c2, 
        ref_0.quantity as c3, 
        (select orders from public.spent limit 1 offset 2)
           as c4, 
        ref_0.price as c5, 
        ref_0.product as c6, 
        ref_0.price as c7
      from 
        public.item as ref_0
      where (case when cast(null as int2) <> cast(null as int2) then cast(null as tsquery) else cast(null as tsquery) end
             = cast(null as tsquery)) 
        and (true)
      limit 111) as subq_0
where pg_catalog.bpchar(
    cast(pg_catalog.current_user() as name)) ~* subq_0.c6;
select  
  sample_0.customer_id as c0, 
  pg_catalog.jsonb_build_array() as c1, 
  sample_0.customer_id as c2, 
  sample_0.customer_id as c3, 
  (select id from public.orders limit 1 offset 1)
     as c4, 
  case when sample_0.id is not NULL then case when case when 13 >= cast(null as int2) then cast(null as timestamptz) else cast(null as timestamptz) end
           >= pg_catalog.pg_stat_get_last_autoanalyze_time(
          cast(cast(null as oid) as oid)) then sample_0.total else sample_0.total end
       else case when case when 13 >= cast(null as int2) then cast(null as timestamptz) else cast(null as timestamptz) end
           >= pg_catalog.pg_stat_get_last_autoanalyze_time(
          cast(cast(null as oid) as oid)) then sample_0.total else sample_0.total end
       end
     as c5, 
  pg_catalog.pg_stat_get_bgwriter_buf_written_clean() as c6, 
  sample_0.note as c7, 
  sample_0.id as c8
from 
  public.orders as sample_0 tablesample system (2.3) 
where cast(null as anyarray) <> pg_catalog.pg_client_encoding()
limit 80;
select  
  ref_0.total as c0, 
  ref_0.customer_id as c1, 
  ref_0.total as c2
from 
  public.spent as ref_0
where (case when pg_catalog.polygon(
          cast(cast(null as path) as path)) >> cast(null as polygon) then cast(coalesce(pg_catalog.pg_safe_snapshot_blocking_pids(
          cast(ref_0.customer_id as int4)),
        pg_catalog.current_user()) as anyarray) else cast(coalesce(pg_catalog.pg_safe_snapshot_blocking_pids(
          cast(ref_0.customer_id as int4)),
        pg_catalog.current_user()) as anyarray) end
       @> case when ref_0.customer_id is not NULL then pg_catalog.current_database() else pg_catalog.current_database() end
      ) 
  and (cast(null as box) <@ pg_catalog.box(
      cast(cast(nullif(pg_catalog.circle(
          cast(cast(nullif(cast(null as point),
            cast(null as point)) as point) as point),
          cast(cast(null as float8) as float8)),
        pg_catalog.circle_add_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point))) as circle) as circle)))
limit 80;
select  
  ref_0.id as c0, 
  ref_0.day as c1, 
  ref_0.note as c2, 
  (select customer_id from public.spent limit 1 offset 4)
     as c3, 
  ref_0.customer_id as c4, 
  ref_0.total as c5
from 
  public.orders as ref_0
where pg_catalog.poly_in(
    cast(cast(null as cstring) as cstring)) &> pg_catalog.polygon(
    cast(ref_0.customer_id as int4),
    cast(case when ref_0.id is NULL then pg_catalog.circle(
        cast(cast(null as box) as box)) else pg_catalog.circle(
        cast(cast(null as box) as box)) end
       as circle));
select  
  pg_catalog.pg_ts_config_is_visible(
    cast(case when pg_catalog.getpgusername() !~ sample_0.city then cast(null as oid) else cast(null as oid) end
       as oid)) as c0
from 
  public.customer as sample_0 tablesample system (3.9) 
where sample_0.credit <> pg_catalog.int2(
    cast(case when (cast(null as varbit) > pg_catalog.varbit_in(
            cast(cast(null as cstring) as cstring),
            cast(cast(null as oid) as oid),
            cast((select id from public.customer limit 1 offset 57)
               as int4))) 
        or ((select orders from public.spent limit 1 offset 2)
             > cast(null as int2)) then cast(null as float4) else cast(null as float4) end
       as float4));
select  
  case when EXISTS (
      select  
          ref_0.customer_id as c0, 
          sample_0.order_id as c1, 
          sample_0.quantity as c2, 
          ref_0.total as c3, 
          57 as c4, 
          ref_0.total as c5, 
          pg_catalog.pg_stat_get_checkpoint_write_time() as c6, 
          ref_0.customer_id as c7, 
          case when EXISTS (
              select  
                  sample_0.product as c0, 
                  sample_0.price as c1
                from 
                  public.item as sample_1 tablesample system (5.1) 
                where cast(null as polygon) << cast(null as polygon)
                limit 104) then ref_0.customer_id else ref_0.customer_id end
             as c8, 
          ref_0.orders as c9
        from 
          public.item as sample_0 tablesample bernoulli (9.8) 
        where sample_0.line is not NULL
        limit 127) then ref_0.orders else ref_0.orders end
     as c0, 
  ref_0.customer_id as c1, 
  ref_0.customer_id as c2, 
  ref_0.orders as c3, 
  cast(coalesce(ref_0.orders,
    
      pg_catalog.min(
        cast(ref_0.orders as int8)) over (partition by ref_0.customer_id order by ref_0.total,ref_0.orders)) as int8) as c4, 
  ref_0.total as c5
from 
  public.spent as ref_0
where true;
select  
  subq_0.c0 as c0, 
  subq_0.c7 as c1
from 
  (select  
        ref_0.product as c0, 
        
          pg_catalog.min(
            cast(cast(null as int2) as int2)) over (partition by ref_0.line,ref_0.order_id order by ref_0.price) as c1, 
        ref_0.line as c2, 
        ref_0.order_id as c3, 
        ref_0.line as c4, 
        ref_0.price as c5, 
        ref_0.product as c6, 
        ref_0.product as c7, 
        ref_0.quantity as c8
      from 
        public.item as ref_0
      where cast(null as bpchar) ~>=~ case when ref_0.product is not NULL then cast(null as bpchar) else cast(null as bpchar) end
          
      limit 123) as subq_0
where cast(nullif(pg_catalog.int8(
      cast(cast(coalesce(case when true then pg_catalog.pg_my_temp_schema() else pg_catalog.pg_my_temp_schema() end
          ,
        cast(coalesce(cast(null as oid),
          pg_catalog.pg_my_temp_schema()) as oid)) as oid) as oid)),
    pg_catalog.int8mod(
      cast(cast(coalesce(pg_catalog.txid_current(),
        (select orders from public.spent limit 1 offset 4)
          ) as int8) as int8),
      cast(pg_catalog.txid_current_if_assigned() as int8))) as int8) > pg_catalog.txid_current_if_assigned()
limit 124;
select  
  ref_0.customer_id as c0, 
  ref_0.customer_id as c1, 
  subq_0.c1 as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4, 
  subq_0.c0 as c5, 
  subq_0.c1 as c6, 
  subq_0.c0 as c7, 
  subq_0.c0 as c8, 
  ref_0.day as c9, 
  ref_0.note as c10, 
  ref_0.id as c11, 
  subq_0.c0 as c12
from 
  (select  
          sample_0.product as c0, 
          sample_0.order_id as c1
        from 
          public.item as sample_0 tablesample system (8.4) 
        where (sample_0.order_id is not NULL) 
          or (cast(null as "numeric") >= (select pg_catalog.avg(customer_id) from public.spent)
              )
        limit 113) as subq_0
    inner join public.orders as ref_0
    on (subq_0.c0 = ref_0.note )
where ref_0.day is not NULL;
select  
  sample_0.quantity as c0, 
  sample_0.price as c1, 
  sample_0.order_id as c2, 
  sample_0.price as c3
from 
  public.item as sample_0 tablesample bernoulli (10) 
where false;
select  
  ref_0.city as c0, 
  ref_0.credit as c1
from 
  public.customer as ref_0
where ref_0.name ~ ref_0.name
limit 124;
select  
  pg_catalog.pg_stat_get_db_stat_reset_time(
    cast(cast(null as oid) as oid)) as c0
from 
  (select  
        ref_0.quantity as c0, 
        ref_0.line as c1, 
        ref_0.product as c2, 
        ref_0.price as c3, 
        ref_0.quantity as c4, 
        pg_catalog.pg_replication_origin_xact_reset() as c5, 
        ref_0.order_id as c6
      from 
        public.item as ref_0
      where cast(null as jsonb) ?& cast(coalesce(cast(null as _text),
          cast(null as _text)) as _text)
      limit 162) as subq_0
where pg_catalog.pg_size_pretty(
    cast(pg_catalog.sign(
      cast(cast(null as "numeric") as "numeric")) as "numeric")) > pg_catalog.name(
    cast(subq_0.c2 as text))
limit 119;
select  
  sample_0.quantity as c0, 
  (select customer_id from public.spent limit 1 offset 3)
     as c1, 
  sample_0.order_id as c2, 
  sample_0.line as c3, 
  cast(nullif(sample_0.product,
    sample_0.product) as text) as c4, 
  sample_0.order_id as c5, 
  sample_0.product as c6, 
  sample_0.order_id as c7, 
  pg_catalog.pg_stat_get_bgwriter_buf_written_checkpoints() as c8, 
  sample_0.product as c9, 
  sample_0.line as c10, 
  pg_catalog.jsonb_build_array() as c11, 
  sample_0.price as c12, 
  sample_0.line as c13, 
  case when (case when cast(null as xid) <> sample_0.price then cast(nullif(cast(null as "char"),
            cast(null as "char")) as "char") else cast(nullif(cast(null as "char"),
            cast(null as "char")) as "char") end
           < pg_catalog.charin(
          cast(cast(null as cstring) as cstring))) 
      and (false) then 38 else 38 end
     as c14
from 
  public.item as sample_0 tablesample system (4.1) 
where cast(null as xid8) < cast(null as xid8)
limit 77;
select  
  pg_catalog.gen_random_uuid() as c0, 
  pg_catalog.pg_notification_queue_usage() as c1
from 
  (select  
          ref_0.customer_id as c0, 
          ref_0.day as c1, 
          ref_0.note as c2
        from 
          public.orders as ref_0
        where cast(null as "bit") = cast(null as "bit")) as subq_0
    inner join public.item as sample_0 tablesample system (4.4) 
    on (subq_0.c1 = sample_0.order_id )
where false;
select  
  subq_0.c5 as c0, 
  subq_0.c3 as c1, 
  subq_0.c2 as c2
from 
  (select  
        ref_0.line as c0, 
        ref_0.price as c1, 
        pg_catalog.txid_current() as c2, 
        ref_0.price as c3, 
        ref_0.product as c4, 
        ref_0.order_id as c5, 
        ref_0.line as c6, 
        ref_0.price as c7
      from 
        public.item as ref_0
      where cast(coalesce(cast(null as timestamptz),
          cast(null as timestamptz)) as timestamptz) > case when (ref_0.line is not NULL) 
            or (cast(null as box) <@ cast(null as box)) then cast(null as timestamptz) else cast(null as timestamptz) end
          
      limit 72) as subq_0
where pg_catalog.left(
    cast(case when subq_0.c2 < subq_0.c0 then subq_0.c4 else subq_0.c4 end
       as text),
    cast(subq_0.c5 as int4)) = subq_0.c4
limit 131;
select  
  sample_0.customer_id as c0, 
  sample_0.day as c1, 
  sample_0.total as c2, 
  sample_0.day as c3
from 
  public.orders as sample_0 tablesample system (7.1) 
where pg_catalog.current_schema() && case when true then case when pg_catalog.current_schema() <> sample_0.note then pg_catalog.box_in(
        cast(cast(null as cstring) as cstring)) else pg_catalog.box_in(
        cast(cast(null as cstring) as cstring)) end
       else case when pg_catalog.current_schema() <> sample_0.note then pg_catalog.box_in(
        cast(cast(null as cstring) as cstring)) else pg_catalog.box_in(
        cast(cast(null as cstring) as cstring)) end
       end
    
limit 111;
select  
  subq_0.c1 as c0, 
  sample_1.city as c1, 
  sample_0.note as c2, 
  subq_0.c2 as c3, 
  pg_catalog.pg_replication_origin_xact_reset() as c4, 
  ref_0.id as c5, 
  ref_0.city as c6, 
  sample_0.id as c7
from 
  public.orders as sample_0 tablesample system (7.8) 
    inner join public.customer as sample_1 tablesample bernoulli (3.7) 
        inner join public.customer as ref_0
        on ((cast(null as macaddr8) < cast(null as macaddr8)) 
            or ((cast(null as inet) <<= cast(null as inet)) 
              or (ref_0.credit is not NULL)))
      left join (select  
            ref_1.line as c0, 
            ref_1.order_id as c1, 
            ref_1.order_id as c2
          from 
            public.item as ref_1
          where cast(null as tsvector) = cast(null as tsvector)
          limit 66) as subq_0
      on ((true) 
          or (cast(null as circle) @> cast(null as point)))
    on (cast(null as date) >= cast(null as timestamptz))
where subq_0.c2 is not NULL
limit 161;
select  
  sample_0.product as c0, 
  
    pg_catalog.bit_xor(
      cast(pg_catalog.substring(
        cast(cast(null as "bit") as "bit"),
        cast(sample_0.quantity as int4),
        cast(sample_0.order_id as int4)) as "bit")) over (partition by ref_0.name order by ref_0.name) as c1
from 
  public.item as sample_0 tablesample bernoulli (6.4) 
    right join public.customer as ref_0
    on (pg_catalog.nummultirange() <@ cast(null as anymultirange))
where true
limit 29;
select  
  pg_catalog.nameicregexne(
    cast(pg_catalog.current_schema() as name),
    cast(ref_0.city as text)) as c0
from 
  public.customer as ref_0
where cast(nullif(cast(null as date),
    pg_catalog.date_in(
      cast(cast(coalesce(cast(null as cstring),
        cast(coalesce(pg_catalog.pg_mcv_list_out(
            cast(cast(null as pg_mcv_list) as pg_mcv_list)),
          cast(null as cstring)) as cstring)) as cstring) as cstring))) as date) < case when ((45 is not NULL) 
        or (cast(nullif(cast(null as varbit),
            cast(null as varbit)) as varbit) >= pg_catalog.varbit_in(
            cast(cast(null as cstring) as cstring),
            cast(cast(null as oid) as oid),
            cast(ref_0.credit as int4)))) 
      and (((cast(null as oid) <= cast(null as oid)) 
          or (cast(null as macaddr8) <> cast(null as macaddr8))) 
        or (case when cast(null as "timestamp") = cast(null as "timestamp") then cast(null as float4) else cast(null as float4) end
             <> cast(null as float4))) then cast(null as date) else cast(null as date) end
    
limit 103;
select  
  sample_1.name as c0, 
  subq_0.c2 as c1, 
  sample_2.id as c2, 
  pg_catalog.version() as c3, 
  pg_catalog.txid_current_if_assigned() as c4, 
  sample_1.name as c5, 
  sample_2.name as c6, 
  sample_2.city as c7, 
  case when cast(coalesce(case when cast(null as "bit") <= cast(null as "bit") then cast(null as macaddr) else cast(null as macaddr) end
          ,
        cast(null as macaddr)) as macaddr) > pg_catalog.macaddr_in(
        cast(pg_catalog.int8out(
          cast(ref_0.orders as int8)) as cstring)) then ref_0.total else ref_0.total end
     as c8, 
  69 as c9
from 
  (select  
            sample_0.id as c0, 
            sample_0.id as c1, 
            96 as c2
          from 
            public.orders as sample_0 tablesample bernoulli (8.7) 
          where (cast(null as jsonb) < cast(null as jsonb)) 
            and (cast(null as timestamptz) <= cast(null as timestamptz))
          limit 46) as subq_0
      inner join public.customer as sample_1 tablesample system (6) 
      on (cast(null as anyrange) >> cast(null as anyrange))
    right join public.spent as ref_0
      inner join public.customer as sample_2 tablesample bernoulli (8.9) 
      on (cast(null as polygon) &<| cast(null as polygon))
    on (ref_0.orders < ref_0.orders)
where true;
select  
  subq_0.c1 as c0, 
  subq_0.c0 as c1, 
  53 as c2
from 
  (select  
        sample_0.credit as c0, 
        pg_catalog.pg_stat_get_buf_alloc() as c1, 
        sample_0.city as c2, 
        sample_0.id as c3, 
        case when cast(null as name) <= cast(null as name) then pg_catalog.nummultirange() else pg_catalog.nummultirange() end
           as c4
      from 
        public.customer as sample_0 tablesample system (5.5) 
      where cast(null as date) >= case when cast(null as date) < cast(null as date) then cast(null as "timestamp") else cast(null as "timestamp") end
          ) as subq_0
where ((pg_catalog.pg_wal_replay_resume() is NULL) 
    or (cast(coalesce(cast(null as tsvector),
        cast(null as tsvector)) as tsvector) @@ pg_catalog.tsquery_or(
        cast(case when cast(null as timestamptz) = cast(null as timestamptz) then case when 3 is NULL then cast(null as tsquery) else cast(null as tsquery) end
             else case when 3 is NULL then cast(null as tsquery) else cast(null as tsquery) end
             end
           as tsquery),
        cast(cast(null as tsquery) as tsquery)))) 
  and (subq_0.c0 is NULL)
limit 190;
select  
  subq_0.c2 as c0, 
  pg_catalog.inet_client_port() as c1, 
  subq_0.c2 as c2, 
  case when pg_catalog.current_database() > case when (cast(null as name) > cast(null as name)) 
          or (subq_0.c2 is NULL) then cast(null as text) else cast(null as text) end
         then subq_0.c1 else subq_0.c1 end
     as c3, 
  subq_0.c1 as c4, 
  pg_catalog.get_current_ts_config() as c5, 
  (select customer_id from public.spent limit 1 offset 6)
     as c6, 
  subq_0.c0 as c7, 
  subq_0.c0 as c8
from 
  (select  
        sample_0.day as c0, 
        pg_catalog.array_replace(
          cast(cast(null as anycompatiblearray) as anycompatiblearray),
          cast(sample_0.customer_id as int4),
          cast(pg_catalog.txid_current_snapshot() as anycompatible)) as c1, 
        
          pg_catalog.json_agg(
            cast((select id from public.orders limit 1 offset 1)
               as int4)) over (partition by sample_0.customer_id,sample_0.day order by sample_0.note) as c2
      from 
        public.orders as sample_0 tablesample system (6.8) 
      where cast(nullif(cast(null as timestamptz),
          pg_catalog.pg_conf_load_time()) as timestamptz) <= cast(null as "timestamp")) as subq_0
where true
limit 31;
select  
  22 as c0, 
  subq_0.c2 as c1, 
  subq_0.c1 as c2, 
  subq_0.c2 as c3, 
  ref_0.order_id as c4, 
  (select customer_id from public.orders limit 1 offset 5)
     as c5, 
  cast(nullif(37,
    ref_0.order_id) as int4) as c6, 
  ref_0.order_id as c7
from 
  (select  
          (select order_id from public.item limit 1 offset 4)
             as c0, 
          sample_0.id as c1, 
          sample_1.city as c2
        from 
          public.customer as sample_0 tablesample bernoulli (9.7) 
            right join public.customer as sample_1 tablesample system (9.1) 
            on ((select orders from public.spent limit 1 offset 1)
                   > cast(null as int8))
        where cast(null as anyrange) < cast(nullif(cast(null as anyrange),
            cast(null as anyrange)) as anyrange)
        limit 70) as subq_0
    inner join public.item as ref_0
    on (true)
where subq_0.c1 is NULL
limit 100;
select  
  subq_0.c0 as c0, 
  pg_catalog.pg_current_wal_flush_lsn() as c1, 
  sample_0.name as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4, 
  pg_catalog.clock_timestamp() as c5, 
  (select pg_catalog.json_agg(customer_id) from public.spent)
     as c6, 
  sample_0.credit as c7, 
  sample_0.credit as c8
from 
  public.customer as sample_0 tablesample system (7.3) ,
  lateral (select  
        ref_0.credit as c0
      from 
        public.customer as ref_0
          left join public.customer as ref_1
          on (cast(null as macaddr8) < cast(null as macaddr8))
      where ref_0.name !~~* ref_0.name
      limit 74) as subq_0
where (sample_0.city <= case when pg_catalog.int8multirange() @> cast(null as anymultirange) then pg_catalog.namein(
        cast(cast(null as cstring) as cstring)) else pg_catalog.namein(
        cast(cast(null as cstring) as cstring)) end
      ) 
  or (26 is NULL)
limit 111;
select  
  sample_0.total as c0, 
  7 as c1, 
  sample_1.city as c2, 
  pg_catalog.pg_stat_get_buf_written_backend() as c3, 
  sample_0.total as c4
from 
  public.orders as sample_0 tablesample bernoulli (2.3) 
    right join public.customer as sample_1 tablesample system (3.4) 
    on ((cast(null as timestamptz) < pg_catalog.make_timestamp(
            cast(sample_1.id as int4),
            cast(sample_0.total as int4),
            cast(sample_1.credit as int4),
            cast(sample_0.customer_id as int4),
            cast((select id from public.orders limit 1 offset 1)
               as int4),
            cast(cast(null as float8) as float8))) 
        and (sample_0.note < pg_catalog.pg_client_encoding())),
  lateral (select  
        88 as c0
      from 
        public.item as ref_0
      where false
      limit 92) as subq_0
where sample_1.id is not NULL
limit 146;
select  
  ref_0.name as c0, 
  ref_0.credit as c1, 
  ref_0.id as c2, 
  ref_0.name as c3
from 
  public.customer as ref_0
where (case when cast(null as box) < pg_catalog.box(
          cast(cast(null as point) as point)) then cast(null as anymultirange) else cast(null as anymultirange) end
       && pg_catalog.int8range(
      cast(pg_catalog.int8not(
        cast(cast(null as int8) as int8)) as int8),
      cast(pg_catalog.lastval() as int8),
      cast(pg_catalog.pg_get_wal_replay_pause_state() as text))) 
  or (case when EXISTS (
        select  
            ref_0.id as c0, 
            sample_0.day as c1
          from 
            public.orders as sample_0 tablesample system (0.3) 
          where cast(null as money) > cast(null as money)
          limit 106) then pg_catalog.int8range(
        cast(pg_catalog.hashcharextended(
          cast(cast(null as "char") as "char"),
          cast((select orders from public.spent limit 1 offset 84)
             as int8)) as int8),
        cast(cast(null as int8) as int8)) else pg_catalog.int8range(
        cast(pg_catalog.hashcharextended(
          cast(cast(null as "char") as "char"),
          cast((select orders from public.spent limit 1 offset 84)
             as int8)) as int8),
        cast(cast(null as int8) as int8)) end
       &> cast(null as anyrange))
limit 89;
select  
  ref_0.product as c0, 
  ref_0.product as c1, 
  ref_0.order_id as c2
from 
  public.item as ref_0
where case when case when cast(null as xid) <> ref_0.order_id then pg_catalog.clock_timestamp() else pg_catalog.clock_timestamp() end
         <= case when cast(null as bpchar) ~<=~ cast(null as bpchar) then cast(null as "timestamp") else cast(null as "timestamp") end
         then cast(null as tid) else cast(null as tid) end
     >= pg_catalog.tidin(
    cast(cast(null as cstring) as cstring))
limit 142;
select  
  pg_catalog.pg_stat_get_snapshot_timestamp() as c0, 
  pg_catalog.uuid_out(
    cast(case when cast(null as box) @> cast(null as box) then pg_catalog.gen_random_uuid() else pg_catalog.gen_random_uuid() end
       as uuid)) as c1, 
  pg_catalog.pg_conf_load_time() as c2
from 
  public.item as ref_0
where true
limit 103;
select  
  pg_catalog.pg_stat_get_last_analyze_time(
    cast(pg_catalog.pg_my_temp_schema() as oid)) as c0
from 
  public.customer as ref_0
    right join public.customer as sample_0 tablesample system (2.3) 
    on ((cast(null as pg_lsn) < cast(null as pg_lsn)) 
        or (case when cast(null as circle) &<| cast(null as circle) then cast(null as line) else cast(null as line) end
             ?|| cast(null as line)))
where case when case when (33 is NULL) 
          or (cast(null as anyarray) && cast(null as anyarray)) then cast(null as box) else cast(null as box) end
         &> pg_catalog.box(
        cast(pg_catalog.lseg_center(
          cast(cast(null as lseg) as lseg)) as point),
        cast(cast(null as point) as point)) then sample_0.credit else sample_0.credit end
     is not NULL
limit 84;
select  
  subq_0.c0 as c0, 
  pg_catalog.pg_trigger_depth() as c1, 
  subq_0.c4 as c2
from 
  public.customer as ref_0
    inner join (select  
          99 as c0, 
          sample_0.order_id as c1, 
          sample_0.line as c2, 
          sample_0.order_id as c3, 
          sample_0.product as c4
        from 
          public.item as sample_0 tablesample bernoulli (5.8) 
        where (EXISTS (
            select  
                sample_0.quantity as c0, 
                sample_0.line as c1
              from 
                public.customer as sample_1 tablesample system (8.7) 
              where (cast(null as bytea) <> cast(null as bytea)) 
                and ((sample_1.credit is not NULL) 
                  and (cast(null as date) = cast(null as timestamptz)))
              limit 72)) 
          or (cast(null as point) <@ cast(null as path))
        limit 74) as subq_0
    on (ref_0.credit <= cast(null as int2))
where subq_0.c2 is not NULL
limit 74;
select distinct 
  sample_0.customer_id as c0, 
  sample_0.total as c1, 
  sample_0.note as c2, 
  pg_catalog.gen_random_uuid() as c3, 
  sample_0.id as c4, 
  (select customer_id from public.orders limit 1 offset 4)
     as c5
from 
  public.orders as sample_0 tablesample system (4.9) 
where case when true then pg_catalog.bpchar(
      cast(case when cast(null as int8) < cast(null as int2) then cast(null as bpchar) else cast(null as bpchar) end
         as bpchar),
      cast(sample_0.total as int4),
      cast(case when (cast(null as uuid) <> cast(null as uuid)) 
          and (cast(null as anyrange) &< cast(null as anyrange)) then pg_catalog.pg_jit_available() else pg_catalog.pg_jit_available() end
         as bool)) else pg_catalog.bpchar(
      cast(case when cast(null as int8) < cast(null as int2) then cast(null as bpchar) else cast(null as bpchar) end
         as bpchar),
      cast(sample_0.total as int4),
      cast(case when (cast(null as uuid) <> cast(null as uuid)) 
          and (cast(null as anyrange) &< cast(null as anyrange)) then pg_catalog.pg_jit_available() else pg_catalog.pg_jit_available() end
         as bool)) end
     !~ sample_0.note
limit 142;
select  
  subq_0.c0 as c0, 
  pg_catalog.lastval() as c1, 
  subq_0.c0 as c2
from 
  (select  
        ref_0.name as c0
      from 
        public.customer as ref_0
      where ref_0.city is not NULL
      limit 20) as subq_0
where subq_0.c0 is NULL
limit 98;
select  
  sample_0.day as c0
from 
  public.orders as sample_0 tablesample system (6) 
    inner join (select  
          sample_1.line as c0, 
          ref_0.note as c1, 
          ref_0.id as c2, 
          sample_1.price as c3, 
          sample_1.line as c4, 
          ref_0.total as c5
        from 
          public.orders as ref_0
            left join public.item as sample_1 tablesample system (9.6) 
            on (sample_1.line is not NULL)
        where ((select order_id from public.item limit 1 offset 4)
               is NULL) 
          or (cast(null as pg_lsn) = cast(null as pg_lsn))
        limit 126) as subq_0
    on (sample_0.customer_id is not NULL)
where (subq_0.c1 is NULL) 
  or (false)
limit 122;
select  
  subq_0.c0 as c0, 
  pg_catalog.atan2d(
    cast(pg_catalog.point_distance(
      cast(cast(coalesce(cast(coalesce(cast(null as point),
          case when subq_0.c0 is not NULL then cast(null as point) else cast(null as point) end
            ) as point),
        cast(null as point)) as point) as point),
      cast(cast(null as point) as point)) as float8),
    cast(pg_catalog.pg_stat_get_checkpoint_write_time() as float8)) as c1, 
  cast(coalesce(20,
    subq_0.c0) as int4) as c2, 
  pg_catalog.int8multirange() as c3, 
  subq_0.c0 as c4, 
  (select quantity from public.item limit 1 offset 6)
     as c5
from 
  (select  
        sample_2.customer_id as c0
      from 
        public.orders as sample_0 tablesample bernoulli (5.3) 
          inner join public.customer as sample_1 tablesample system (5.5) 
            right join public.spent as ref_0
              right join public.orders as sample_2 tablesample system (9.8) 
              on (cast(null as date) >= cast(null as date))
            on (sample_1.id = ref_0.customer_id )
          on (sample_0.id = ref_0.customer_id )
      where false
      limit 162) as subq_0
where (cast(null as line) ?# pg_catalog.line_in(
      cast(cast(null as cstring) as cstring))) 
  or (subq_0.c0 <= subq_0.c0);
select  
  pg_catalog.int8multirange() as c0, 
  ref_0.orders as c1
from 
  public.spent as ref_0
where cast(null as inet) >= pg_catalog.broadcast(
    cast(case when ref_0.customer_id is NULL then pg_catalog.inet_server_addr() else pg_catalog.inet_server_addr() end
       as inet))
limit 130;
select  
  pg_catalog.pg_notification_queue_usage() as c0, 
  sample_0.line as c1, 
  sample_0.order_id as c2
from 
  public.item as sample_0 tablesample system (4.9) 
where cast(null as oid) <> cast(nullif(pg_catalog.pg_my_temp_schema(),
    pg_catalog.pg_my_temp_schema()) as oid)
limit 115;
select  
  13 as c0, 
  cast(coalesce(ref_0.note,
    ref_0.note) as text) as c1
from 
  public.orders as ref_0
where (ref_0.id is NULL) 
  or (false);
select  
  subq_0.c1 as c0
from 
  (select  
        sample_0.product as c0, 
        39 as c1, 
        sample_0.quantity as c2
      from 
        public.item as sample_0 tablesample system (9.1) 
      where cast(null as point) |>> case when (sample_0.product is not NULL) 
            or (sample_0.product !~ sample_0.product) then pg_catalog.point_div(
            cast(cast(null as point) as point),
            cast(cast(null as point) as point)) else pg_catalog.point_div(
            cast(cast(null as point) as point),
            cast(cast(null as point) as point)) end
          
      limit 102) as subq_0
where cast(nullif(cast(null as polygon),
    case when (subq_0.c1 is not NULL) 
        or (cast(null as money) <> cast(null as money)) then case when cast(null as macaddr8) > cast(null as macaddr8) then cast(null as polygon) else cast(null as polygon) end
         else case when cast(null as macaddr8) > cast(null as macaddr8) then cast(null as polygon) else cast(null as polygon) end
         end
      ) as polygon) @> case when case when false then cast(null as record) else cast(null as record) end
         *< cast(null as record) then cast(null as polygon) else cast(null as polygon) end
    
limit 114;
select  
  96 as c0, 
  sample_0.day as c1, 
  60 as c2, 
  sample_0.customer_id as c3
from 
  public.orders as sample_0 tablesample bernoulli (9.2) 
where false
limit 168;
select  
  (select total from public.orders limit 1 offset 3)
     as c0
from 
  (select  
        sample_0.name as c0, 
        sample_0.credit as c1, 
        (select quantity from public.item limit 1 offset 2)
           as c2, 
        sample_0.city as c3, 
        sample_0.credit as c4, 
        sample_0.city as c5, 
        sample_0.name as c6, 
        20 as c7, 
        49 as c8, 
        69 as c9, 
        sample_0.id as c10, 
        
          pg_catalog.var_samp(
            cast(sample_0.credit as int4)) over (partition by sample_0.name order by sample_0.id,sample_0.name) as c11, 
        sample_0.credit as c12, 
        sample_0.id as c13
      from 
        public.customer as sample_0 tablesample bernoulli (6.9) 
      where pg_catalog.xidin(
          cast(cast(coalesce(cast(null as cstring),
            cast(null as cstring)) as cstring) as cstring)) <> (select customer_id from public.spent limit 1 offset 82)
          
      limit 158) as subq_0
where (cast(coalesce(pg_catalog.getdatabaseencoding(),
      case when pg_catalog.random() <> pg_catalog.width(
            cast(cast(null as box) as box)) then pg_catalog.current_user() else pg_catalog.current_user() end
        ) as anyarray) <@ cast(null as anyarray)) 
  or (pg_catalog.session_user() ~~* subq_0.c0)
limit 76;
select  
  subq_1.c0 as c0, 
  subq_1.c0 as c1, 
  66 as c2, 
  subq_1.c1 as c3, 
  subq_1.c1 as c4
from 
  (select  
        case when (ref_0.note is NULL) 
            and (true) then ref_0.customer_id else ref_0.customer_id end
           as c0, 
        ref_0.total as c1
      from 
        (select  
                sample_0.total as c0, 
                sample_0.total as c1, 
                sample_0.note as c2, 
                sample_0.id as c3, 
                sample_0.id as c4, 
                sample_0.id as c5, 
                sample_0.day as c6
              from 
                public.orders as sample_0 tablesample system (3.9) 
              where sample_0.day is not NULL) as subq_0
          left join public.orders as ref_0
          on (subq_0.c3 = ref_0.id )
      where case when subq_0.c1 is not NULL then case when ref_0.day is not NULL then cast(null as anyarray) else cast(null as anyarray) end
             else case when ref_0.day is not NULL then cast(null as anyarray) else cast(null as anyarray) end
             end
           <@ case when cast(null as anymultirange) <@ cast(null as anyrange) then cast(null as anyarray) else cast(null as anyarray) end
          
      limit 57) as subq_1
where subq_1.c0 is not NULL
limit 101;
select  
  40 as c0, 
  ref_0.orders as c1, 
  43 as c2, 
  case when cast(null as text) ~<~ (select name from public.customer limit 1 offset 1)
         then ref_0.total else ref_0.total end
     as c3, 
  62 as c4
from 
  public.spent as ref_0
where (EXISTS (
    select  
        ref_0.orders as c0, 
        pg_catalog.jsonb_build_array() as c1, 
        (select line from public.item limit 1 offset 2)
           as c2, 
        ref_0.customer_id as c3, 
        subq_0.c5 as c4
      from 
        public.orders as sample_0 tablesample system (3.6) ,
        lateral (select  
              sample_0.id as c0, 
              ref_0.total as c1, 
              sample_0.customer_id as c2, 
              ref_0.total as c3, 
              (select orders from public.spent limit 1 offset 4)
                 as c4, 
              ref_0.total as c5
            from 
              public.item as ref_1
            where true
            limit 48) as subq_0
      where cast(null as record) = cast(null as record))) 
  and (ref_0.total is NULL)
limit 21;
select  
  sample_0.id as c0, 
  case when cast(nullif(cast(null as oidvector),
        case when (cast(null as float8) > cast(null as float4)) 
            and (sample_0.city is not NULL) then cast(null as oidvector) else cast(null as oidvector) end
          ) as oidvector) >= case when cast(null as "timestamp") >= cast(null as date) then case when cast(null as box) ~= cast(null as box) then cast(null as oidvector) else cast(null as oidvector) end
           else case when cast(null as box) ~= cast(null as box) then cast(null as oidvector) else cast(null as oidvector) end
           end
         then 50 else 50 end
     as c1, 
  (select orders from public.spent limit 1 offset 90)
     as c2, 
  sample_0.credit as c3
from 
  public.customer as sample_0 tablesample system (4.3) 
where pg_catalog.integer_pl_date(
    cast(sample_0.credit as int4),
    cast(cast(null as date) as date)) > cast(null as timestamptz)
limit 96;
select  
  subq_0.c1 as c0, 
  subq_0.c1 as c1
from 
  (select  
        (select total from public.orders limit 1 offset 5)
           as c0, 
        pg_catalog.pg_control_system() as c1
      from 
        public.item as sample_0 tablesample bernoulli (7.9) 
      where false
      limit 117) as subq_0
where cast(nullif(pg_catalog.text_smaller(
      cast((select note from public.orders limit 1 offset 4)
         as text),
      cast(pg_catalog.pg_get_wal_replay_pause_state() as text)),
    case when (((cast(null as lseg) >= cast(null as lseg)) 
            and ((cast(null as pg_lsn) <> cast(null as pg_lsn)) 
              or (cast(null as inet) >> cast(null as inet)))) 
          or (cast(null as anymultirange) <@ cast(null as anyrange))) 
        and (cast(null as float8) >= pg_catalog.dist_sl(
            cast(cast(null as lseg) as lseg),
            cast(cast(null as line) as line))) then pg_catalog.pg_current_logfile() else pg_catalog.pg_current_logfile() end
      ) as text) is NULL
limit 162;
select  
  pg_catalog.int8multirange() as c0, 
  ref_0.orders as c1, 
  pg_catalog.range_contained_by_multirange(
    cast(cast(nullif(case when false then cast(null as anyrange) else cast(null as anyrange) end
        ,
      case when cast(nullif(cast(null as anyarray),
            cast(null as anyarray)) as anyarray) >= pg_catalog.pg_client_encoding() then case when cast(null as inet) << cast(null as inet) then case when true then cast(null as anyrange) else cast(null as anyrange) end
             else case when true then cast(null as anyrange) else cast(null as anyrange) end
             end
           else case when cast(null as inet) << cast(null as inet) then case when true then cast(null as anyrange) else cast(null as anyrange) end
             else case when true then cast(null as anyrange) else cast(null as anyrange) end
             end
           end
        ) as anyrange) as anyrange),
    cast(cast(null as anymultirange) as anymultirange)) as c2, 
  ref_0.customer_id as c3, 
  ref_0.orders as c4
from 
  public.spent as ref_0
where ref_0.orders is NULL;
select  
  subq_1.c0 as c0, 
  ref_0.day as c1, 
  subq_1.c0 as c2, 
  subq_1.c0 as c3
from 
  public.orders as ref_0,
  lateral (select  
        pg_catalog.lastval() as c0
      from 
        public.item as ref_1,
        lateral (select  
              ref_2.id as c0
            from 
              public.item as sample_0 tablesample system (8.1) 
                inner join public.customer as ref_2
                on (cast(null as tsvector) < cast(null as tsvector))
            where EXISTS (
              select  
                  ref_1.order_id as c0, 
                  ref_1.price as c1, 
                  ref_2.name as c2, 
                  ref_2.credit as c3, 
                  sample_0.product as c4, 
                  ref_1.price as c5, 
                  44 as c6, 
                  ref_0.day as c7, 
                  ref_1.line as c8, 
                  sample_0.product as c9
                from 
                  public.orders as sample_1 tablesample system (9.2) 
                where cast(null as path) ?# cast(null as path)
                limit 90)
            limit 127) as subq_0
      where subq_0.c0 > subq_0.c0
      limit 126) as subq_1
where pg_catalog.gen_random_uuid() <= pg_catalog.gen_random_uuid()
limit 148;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  pg_catalog.pg_current_wal_flush_lsn() as c2, 
  subq_0.c0 as c3, 
  95 as c4
from 
  (select  
        sample_0.day as c0
      from 
        public.spent as ref_0
          left join public.orders as sample_0 tablesample system (3.2) 
          on (((select pg_catalog.jsonb_agg_strict(customer_id) from public.spent)
                   <= cast(null as jsonb)) 
              and (cast(null as float8) < cast(null as float4)))
      where pg_catalog.pg_current_wal_lsn() <= pg_catalog.pg_last_wal_replay_lsn()
      limit 144) as subq_0
where case when pg_catalog.jsonb_build_array(
        cast(subq_0.c0 as int4)) <@ pg_catalog.jsonb_insert(
        cast(pg_catalog.jsonb_build_array() as jsonb),
        cast(case when cast(null as anymultirange) << cast(null as anyrange) then cast(null as _text) else cast(null as _text) end
           as _text),
        cast(case when subq_0.c0 is NULL then cast(null as jsonb) else cast(null as jsonb) end
           as jsonb),
        cast(true as bool)) then cast(nullif(false,
      false) as bool) else cast(nullif(false,
      false) as bool) end
     = true;
select  
  case when case when ref_0.total is NULL then case when cast(null as name) = cast(null as name) then cast(null as circle) else cast(null as circle) end
           else case when cast(null as name) = cast(null as name) then cast(null as circle) else cast(null as circle) end
           end
         <@ case when ref_0.day is not NULL then pg_catalog.circle_div_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point)) else pg_catalog.circle_div_pt(
          cast(cast(null as circle) as circle),
          cast(cast(null as point) as point)) end
         then ref_0.id else ref_0.id end
     as c0, 
  pg_catalog.now() as c1, 
  ref_0.total as c2, 
  ref_0.id as c3, 
  ref_0.id as c4, 
  pg_catalog.json_build_array() as c5, 
  ref_0.day as c6, 
  pg_catalog.current_user() as c7, 
  pg_catalog.bpchar_smaller(
    cast(cast(null as bpchar) as bpchar),
    cast(cast(null as bpchar) as bpchar)) as c8, 
  ref_0.day as c9, 
  ref_0.customer_id as c10, 
  ref_0.total as c11
from 
  public.orders as ref_0
where false
limit 109;
select  
  ref_0.line as c0, 
  ref_0.line as c1
from 
  public.item as ref_0
where cast(null as name) <= ref_0.product;
select  
  subq_0.c0 as c0, 
  subq_0.c0 as c1, 
  subq_0.c0 as c2, 
  subq_0.c0 as c3, 
  subq_0.c0 as c4, 
  pg_catalog.currtid2(
    cast(pg_catalog.system_user() as text),
    cast(case when pg_catalog.now() = cast(null as timestamptz) then pg_catalog.tidsmaller(
        cast(pg_catalog.tidin(
          cast(cast(null as cstring) as cstring)) as tid),
        cast(cast(null as tid) as tid)) else pg_catalog.tidsmaller(
        cast(pg_catalog.tidin(
          cast(cast(null as cstring) as cstring)) as tid),
        cast(cast(null as tid) as tid)) end
       as tid)) as c5, 
  subq_0.c0 as c6, 
  subq_0.c0 as c7, 
  subq_0.c0 as c8
from 
  (select  
        ref_0.customer_id as c0
      from 
        public.orders as ref_0
          inner join public.customer as ref_1
          on (cast(null as box) @> cast(null as box))
      where ref_1.city >= cast(coalesce(cast(null as name),
          pg_catalog.pg_encoding_to_char(
            cast(ref_0.total as int4))) as name)) as subq_0
where true;
select  
  sample_0.order_id as c0, 
  sample_0.line as c1, 
  pg_catalog.pg_stat_force_next_flush() as c2, 
  sample_0.quantity as c3, 
  sample_0.price as c4, 
  sample_0.product as c5, 
  sample_0.product as c6, 
  sample_0.price as c7
from 
  public.item as sample_0 tablesample bernoulli (5.8) 
where sample_0.quantity is not NULL;
select  
  ref_0.city as c0, 
  pg_catalog.dist_cpoly(
    cast(cast(nullif(case when (cast(null as record) *< cast(null as record)) 
          and (ref_0.id is NULL) then cast(null as circle) else cast(null as circle) end
        ,
      case when ref_0.name is NULL then case when (select orders from public.spent limit 1 offset 1)
               = ref_0.credit then cast(null as circle) else cast(null as circle) end
           else case when (select orders from public.spent limit 1 offset 1)
               = ref_0.credit then cast(null as circle) else cast(null as circle) end
           end
        ) as circle) as circle),
    cast(case when ref_0.name is not NULL then pg_catalog.poly_in(
        cast(case when cast(null as anyrange) > cast(null as anyrange) then pg_catalog.point_out(
            cast(cast(null as point) as point)) else pg_catalog.point_out(
            cast(cast(null as point) as point)) end
           as cstring)) else pg_catalog.poly_in(
        cast(case when cast(null as anyrange) > cast(null as anyrange) then pg_catalog.point_out(
            cast(cast(null as point) as point)) else pg_catalog.point_out(
            cast(cast(null as point) as point)) end
           as cstring)) end
       as polygon)) as c1
from 
  public.customer as ref_0
where ref_0.credit < ref_0.credit
limit 22;
select  
  ref_0.id as c0, 
  ref_0.name as c1
from 
  public.customer as ref_0
where cast(null as "numeric") <> cast(null as "numeric")
limit 108;
select  
  subq_0.c0 as c0
from 
  (select  
        sample_0.day as c0
      from 
        public.orders as sample_0 tablesample bernoulli (7.9) 
      where cast(coalesce(cast(null as bpchar),
          case when (sample_0.customer_id is NULL) 
              or ((false) 
                and (true)) then cast(null as bpchar) else cast(null as bpchar) end
            ) as bpchar) = cast(null as bpchar)) as subq_0
where ((cast(null as inet) && cast(nullif(pg_catalog.inet_client_addr(),
        pg_catalog.inet_client_addr()) as inet)) 
    or (false)) 
  or (case when (pg_catalog.line(
            cast(cast(null as point) as point),
            cast(cast(null as point) as point)) = pg_catalog.line(
            cast(cast(null as point) as point),
            cast(cast(null as point) as point))) 
        and (false) then pg_catalog.pg_notification_queue_usage() else pg_catalog.pg_notification_queue_usage() end
       > cast(null as float8))
limit 107;
select  
  ref_0.id as c0
from 
  public.orders as ref_0
where ref_0.customer_id is NULL
limit 65;
select  
  subq_0.c0 as c0, 
  36 as c1, 
  pg_catalog.pg_stat_get_dead_tuples(
    cast(pg_catalog.pg_my_temp_schema() as oid)) as c2, 
  subq_0.c2 as c3, 
  subq_0.c1 as c4, 
  subq_0.c6 as c5, 
  subq_0.c1 as c6, 
  subq_0.c1 as c7, 
  subq_0.c2 as c8
from 
  (select  
        ref_0.id as c0, 
        ref_0.name as c1, 
        cast(coalesce(ref_0.id,
          ref_0.id) as int4) as c2, 
        ref_0.city as c3, 
        ref_0.city as c4, 
        ref_0.id as c5, 
        99 as c6
      from 
        public.customer as ref_0
      where cast(coalesce(cast(null as tsvector),
          pg_catalog.jsonb_to_tsvector(
            cast(cast(null as regconfig) as regconfig),
            cast(cast(null as jsonb) as jsonb),
            cast((select pg_catalog.jsonb_agg(id) from public.orders)
               as jsonb))) as tsvector) @@ pg_catalog.to_tsquery(
          cast(ref_0.city as text))) as subq_0
where false
limit 132;
select  
  subq_1.c2 as c0, 
  subq_1.c2 as c1, 
  case when false then subq_1.c4 else subq_1.c4 end
     as c2
from 
  (select  
        pg_catalog.gen_random_uuid() as c0, 
        subq_0.c0 as c1, 
        subq_0.c2 as c2, 
        subq_0.c0 as c3, 
        pg_catalog.txid_current_snapshot() as c4
      from 
        (select  
              ref_0.order_id as c0, 
              ref_0.quantity as c1, 
              ref_0.price as c2
            from 
              public.item as ref_0
            where (false) 
              and (cast(null as "numeric") = cast(null as "numeric"))) as subq_0
      where false
      limit 84) as subq_1
where case when (((cast(null as xid8) >= cast(null as xid8)) 
          and (cast(null as timestamptz) <> cast(null as date))) 
        or (cast(null as name) !~* (select note from public.orders limit 1 offset 6)
            )) 
      or (EXISTS (
        select  
            subq_1.c2 as c0, 
            ref_1.note as c1, 
            subq_1.c4 as c2, 
            subq_1.c3 as c3, 
            subq_1.c2 as c4
          from 
            public.orders as ref_1
          where ref_1.note < cast(null as name)
          limit 94)) then pg_catalog.tsmultirange() else pg_catalog.tsmultirange() end
     >> pg_catalog.nummultirange();
select  
  (select id from public.customer limit 1 offset 4)
     as c0, 
  ref_1.price as c1
from 
  (select  
          subq_0.c1 as c0, 
          subq_0.c0 as c1, 
          subq_0.c1 as c2, 
          subq_0.c0 as c3
        from 
          (select  
                ref_0.name as c0, 
                ref_0.name as c1
              from 
                public.customer as ref_0
              where (cast(null as timestamptz) <= cast(null as "timestamp")) 
                and (cast(null as tsquery) > cast(null as tsquery))) as subq_0
        where cast(null as anymultirange) &> cast(null as anyrange)
        limit 81) as subq_1
    left join public.item as ref_1
    on (ref_1.line is not NULL)
where case when subq_1.c3 is not NULL then cast(null as timestamptz) else cast(null as timestamptz) end
     > cast(null as date)
limit 107;
select  
  (select note from public.orders limit 1 offset 5)
     as c0, 
  ref_0.total as c1
from 
  public.spent as ref_0
where cast(nullif(case when ref_0.orders is not NULL then pg_catalog.lseg_in(
        cast(cast(null as cstring) as cstring)) else pg_catalog.lseg_in(
        cast(cast(null as cstring) as cstring)) end
      ,
    pg_catalog.lseg_in(
      cast(cast(null as cstring) as cstring))) as lseg) ?# cast(null as box)
limit 107;