import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the functions of indexes on paths (decision 39). The indexes depend on them, so what they return for a value
 * must never change: a later version needs functions with other names.
 */
export class CreatePathKeys1795000029700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The same codes as those of sorts (sort.ts), for a path without arrays. '6' stands for every other record.
    await runner.query(`
      CREATE FUNCTION public.path_code(root jsonb, path text[]) RETURNS text
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
      DECLARE
        part text;
        code text;
        bits bigint;
      BEGIN
        FOREACH part IN ARRAY path LOOP
          IF jsonb_typeof(root) = 'array' THEN RETURN '6'; END IF;
          root := root -> part;
        END LOOP;
        CASE jsonb_typeof(root)
          WHEN 'string' THEN code := '2' || (root #>> '{}');
          WHEN 'number' THEN
            bits := ('x' || encode(float8send(root::float8), 'hex'))::bit(64)::bigint;
            RETURN '1' || lpad(to_hex(bits # ((bits >> 63) | (-9223372036854775808))), 16, '0');
          WHEN 'boolean' THEN RETURN '5' || root::text;
          WHEN 'object' THEN code := '3' || root::text;
          WHEN 'array' THEN RETURN '6';
          ELSE RETURN NULL;
        END CASE;
        RETURN CASE WHEN octet_length(code) <= 150 THEN code ELSE '6' END;
      END $$`);
    await runner.query(`
      CREATE FUNCTION public.path_hashes(root jsonb, paths jsonpath[]) RETURNS bigint[]
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 2000 AS $$
      DECLARE
        path jsonpath;
        found jsonb := '[]';
      BEGIN
        root := jsonb_build_object('v', root);
        FOREACH path IN ARRAY paths LOOP
          found := found || jsonb_path_query_array(root, path);
        END LOOP;
        RETURN ARRAY(SELECT jsonb_hash_extended(v, 0) FROM jsonb_array_elements(found) AS each(v));
      END $$`);
    await runner.query(`
      CREATE FUNCTION public.path_text(root jsonb, paths jsonpath[]) RETURNS text
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 2000 AS $$
      DECLARE
        path jsonpath;
        found jsonb := '[]';
      BEGIN
        root := jsonb_build_object('v', root);
        FOREACH path IN ARRAY paths LOOP
          found := found || jsonb_path_query_array(root, path);
        END LOOP;
        RETURN (SELECT string_agg(lower((v #>> '{}') COLLATE "und-x-icu"), E'\\n')
          FROM jsonb_array_elements(found) AS each(v) WHERE jsonb_typeof(v) = 'string');
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION public.path_text(jsonb, jsonpath[])');
    await runner.query('DROP FUNCTION public.path_hashes(jsonb, jsonpath[])');
    await runner.query('DROP FUNCTION public.path_code(jsonb, text[])');
  }
}
