/**
 * Statements of PL/pgSQL that let version 1.0.0 go on beside the quotas of an organization, whose schema is `name`. Its
 * instances know `record_slots`, where `counted` and `granted` together are the room that is in use. A release later
 * nothing needs this.
 */
export const SERVE_EARLIER_VERSION = `
        -- Always 0: what 1.0.0 adds to it is added to "used".
        EXECUTE format('ALTER TABLE %I.record_quotas ADD COLUMN slots_granted bigint NOT NULL DEFAULT 0', name);
        EXECUTE format('CREATE VIEW %1$I.record_slots AS
          SELECT collection_id, generation AS epoch, used AS counted, slots_granted AS granted FROM %1$I.record_quotas', name);
        EXECUTE format('CREATE FUNCTION %1$I.slots_hold(collection uuid, in_epoch bigint) RETURNS boolean
          LANGUAGE sql VOLATILE AS $f$ SELECT %1$I.quota_holds(collection, in_epoch) $f$', name);

        -- 1.0.0 leases room without a lease, so an expired one asks for a count before "full" is said. Its own count leaves
        -- out expired records and what deletes give back, so it is done again.
        EXECUTE format('CREATE FUNCTION %1$I.slots_granted() RETURNS trigger LANGUAGE plpgsql AS $f$
          BEGIN
            IF NEW.used <> OLD.used THEN
              EXECUTE format(''SELECT (SELECT count(*) FROM %1$I.%%I)
                + coalesce((SELECT sum(records) FROM %1$I.quota_returns WHERE collection_id = $1), 0)'',
                ''c_'' || replace(NEW.collection_id::text, ''-'', '''')) INTO NEW.used USING NEW.collection_id;
              NEW.counting_until := NULL;
            END IF;
            NEW.used := NEW.used + NEW.slots_granted;
            NEW.slots_granted := 0;
            INSERT INTO %1$I.quota_leases
              VALUES (NEW.collection_id, ''00000000-0000-0000-0000-000000000000'', ''-infinity'') ON CONFLICT DO NOTHING;
            RETURN NEW;
          END $f$', name);
        EXECUTE format('CREATE TRIGGER slots_granted BEFORE UPDATE OF slots_granted ON %1$I.record_quotas
          FOR EACH ROW EXECUTE FUNCTION %1$I.slots_granted()', name);

        -- The last step of 1.0.0 when it creates the table of a collection.
        EXECUTE format('CREATE FUNCTION %1$I.slots_begun() RETURNS trigger LANGUAGE plpgsql AS $f$
          BEGIN
            INSERT INTO %1$I.record_quotas (collection_id) VALUES (NEW.collection_id);
            EXECUTE format(''ALTER TABLE %1$I.%%I ADD COLUMN IF NOT EXISTS version integer NOT NULL DEFAULT 1'',
              ''c_'' || replace(NEW.collection_id::text, ''-'', ''''));
            RETURN NEW;
          END $f$', name);
        EXECUTE format('CREATE TRIGGER slots_begun INSTEAD OF INSERT ON %1$I.record_slots
          FOR EACH ROW EXECUTE FUNCTION %1$I.slots_begun()', name);`;

/** The statements that take it back, except what goes with the table of the quotas. */
export const END_EARLIER_VERSION = `
        EXECUTE format('DROP VIEW IF EXISTS %I.record_slots', name);
        EXECUTE format('DROP FUNCTION IF EXISTS %1$I.slots_hold(uuid, bigint), %1$I.slots_begun', name);
        EXECUTE format('DROP FUNCTION IF EXISTS %1$I.slots_granted CASCADE', name);`;
