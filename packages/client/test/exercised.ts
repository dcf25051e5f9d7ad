import { expect } from 'vitest';

/** What `exercise` returns on every runtime. */
export const EXERCISED = {
  error: 'RecordNotFound',
  unreachable: true,
  aborted: 'enough',
  imported: [500, 500],
  progress: { phase: 'done', rows: 500, bytes: 6291, totalBytes: 6291 },
  slices: expect.any(Number),
  bulk: [50, 2],
  years: 21,
  csv: 'title\r\nEmma\r\n',
  exported: 50,
  changes: ['inserted Emma 1815', 'inserted Persuasion 1817', 'updated Emma 1816'],
  retries: [],
};
