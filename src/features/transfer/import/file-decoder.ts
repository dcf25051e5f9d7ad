import { invalid } from '../../../base/kernel/errors.js';
import { timeZone } from '../../../base/kernel/time-zone.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { mediaTypeOf } from '../../../platform/http/body/body.step.js';
import type { ImportRecordsQuery } from '../transfer.dto.js';
import { CsvDecoder, refuseOtherColumns } from './csv-decoder.js';
import type { FieldNotes } from './field-notes.js';
import { JsonArrayDecoder } from './json-array-decoder.js';
import { LocalValues } from './local-values.js';
import { type Decoder, NdjsonDecoder } from './record-decoders.js';

const CSV_TYPE = 'text/csv';
const TSV_TYPE = 'text/tab-separated-values';
const JSON_TYPE = 'application/json';
/** Media types of imported files. The last two are names of one format. */
export const IMPORT_TYPES = [
  CSV_TYPE,
  TSV_TYPE,
  JSON_TYPE,
  'application/x-ndjson',
  'application/jsonl',
] as const;

/** What the decoder of a file depends on. */
interface ImportedFile {
  readonly contentType: string | undefined;
  readonly shape: CollectionShape;
  readonly query: ImportRecordsQuery;
  readonly notes: FieldNotes;
}

/** Parameters that only CSV files have. */
const OF_CSV = ['skip_lines', 'delimiter', 'decimal', 'dates', 'zone'] as const;

/** The decoder of an imported file. Throws 400 for parameters that its media type does not have. */
export function decoderFor({ contentType, shape, query, notes }: ImportedFile): Decoder {
  const { columns, allow_unknown, skip_lines, delimiter, refused } = query;
  const withLines = refused === 'all';
  const type = mediaTypeOf(contentType);
  if (type === CSV_TYPE || type === TSV_TYPE)
    return new CsvDecoder(shape, {
      columns,
      allowUnknown: allow_unknown,
      skipLines: skip_lines,
      withLines,
      delimiter: delimiter ?? (type === TSV_TYPE ? '\t' : undefined),
      isDelimiterSure: delimiter !== undefined,
      local: localValues(query),
      notes,
    });
  const other = OF_CSV.find(name => query[name] !== undefined);
  if (other !== undefined) throw invalid(`${other}: is only allowed for CSV`);
  refuseOtherColumns(shape, columns ?? {}, allow_unknown);
  return type === JSON_TYPE
    ? new JsonArrayDecoder(withLines, columns)
    : new NdjsonDecoder(withLines, columns);
}

function localValues({ decimal, dates, zone }: ImportRecordsQuery): LocalValues | undefined {
  if ((decimal ?? dates ?? zone) === undefined) return undefined;
  const known = zone === undefined ? undefined : timeZone(zone);
  if (zone !== undefined && known === undefined)
    throw invalid('zone: expects the name of an IANA time zone, such as Europe/Paris');
  return new LocalValues({ decimal, dates, zone: known });
}
