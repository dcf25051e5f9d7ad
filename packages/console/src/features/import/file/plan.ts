import type { ImportOptions } from '@typed-collections/client';
import { csvLine } from './csv-rows.js';
import { jsonObjects, type Reading, type Samples } from './head.js';

/** For each field of a file the name that it gets in the collection; null leaves it out. */
export type TargetNames = readonly (string | null)[];

/** How a file is imported. */
export interface FilePlan {
  readonly reading: Reading;
  readonly samples: Pick<Samples, 'names' | 'headers'>;
  readonly targets: TargetNames;
}

type FileOptions = Pick<
  ImportOptions,
  | 'format'
  | 'columns'
  | 'allowUnknown'
  | 'skipLines'
  | 'textEncoding'
  | 'delimiter'
  | 'decimal'
  | 'dates'
  | 'zone'
>;

export interface SentFile {
  readonly body: Blob;
  readonly options: FileOptions;
}

/** How the service reads a file. */
export function fileOptions({ reading, samples, targets }: FilePlan): FileOptions {
  const { encoding, delimiter, decimal, dates, headerLine } = reading;
  const moved = samples.headers
    .map((header, at) => [header, targets[at] ?? null] as const)
    .filter(([header, target]) => header !== target);
  const options = {
    textEncoding: encoding,
    ...(moved.length > 0 && { columns: Object.fromEntries(moved), allowUnknown: true }),
  };
  if (reading.format !== 'csv') return { ...options, format: reading.format };
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    ...options,
    format: 'csv',
    skipLines: Math.max(0, headerLine - 1),
    delimiter,
    decimal,
    dates,
    zone,
  };
}

/** The file as the service takes it: as it is, but for a header that it lacks and for objects that are not a list. */
export async function sentFile(file: Blob, plan: FilePlan): Promise<SentFile> {
  const { format, encoding, headerLine } = plan.reading;
  const options = fileOptions(plan);
  if (format === 'csv' && headerLine === 0) {
    const body = new Blob([headerLineOf(plan), await inUtf8(file, encoding)]);
    return { body, options: { ...options, textEncoding: 'utf-8' } };
  }
  if (format !== 'json') return { body: file, options };
  const head = await (await inUtf8(file.slice(0, 1024), encoding)).text();
  if (head.trimStart().startsWith('[')) return { body: file, options };
  const lines = jsonObjects(await (await inUtf8(file, encoding)).text());
  return {
    body: new Blob(lines.map(oneLine)),
    options: { ...options, format: 'ndjson', textEncoding: 'utf-8' },
  };
}

function inUtf8(file: Blob, encoding: string): Promise<Blob> {
  const text = file.stream().pipeThrough(new TextDecoderStream(encoding));
  return new Response(text.pipeThrough(new TextEncoderStream())).blob();
}

/** Line ends stand between the parts of a value only, so they can be spaces. */
function oneLine(json: string): string {
  return `${json.replace(/[\r\n]+/g, ' ')}\n`;
}

/** The line that names the fields of a CSV file. */
export function headerLineOf({ samples, reading }: FilePlan): string {
  return csvLine(samples.headers, reading.delimiter);
}
