/** Texts of this area. */
export const exporting = {
  format: 'Format',
  format_csv: 'CSV, for spreadsheets',
  format_ndjson: 'NDJSON, one JSON object a line',
  format_json: 'JSON, one array',
  keepFormulas: 'Leave formulas as they are',
  formulasGuarded:
    'The console puts an apostrophe before cells that begin with = + - @ tab or a line break, because spreadsheets would run them. Negative numbers stay as they are.',
  formulasKept: 'Spreadsheets may run cells that begin with = + - or @. Use this only for programs.',
  start: 'Export',
  stop: 'Stop',
  count_records: '{count|one record|{count} records}',
  count_events: '{count|one event|{count} events}',
  running: '{what}, {size}',
  done: 'Done: {what}, {size}.',
  stopped: 'Stopped. No file was kept.',
  atMost: 'At most {what}, the newest first.',
  cutOff: 'The file ends after {what}, the most that a file can have. Narrow the filters to get the others.',
  inMemory:
    'This browser keeps the file in memory until it is complete: at most {size}. For more, use Chrome or Edge, or the command line.',
  tooLarge:
    'The file is larger than {size}, which this browser cannot hold. Export less at a time, or use the command line.',
};
