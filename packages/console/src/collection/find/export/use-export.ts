import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../../../api/client.js';
import { sortQuery } from '../../grid/columns/sort.js';
import type { Finder } from '../use-finder.js';
import { exportFile, type Format, type Progress } from './export-file.js';
import { openSink } from './sinks.js';

/** What the person chose. */
export interface Choice {
  readonly format: Format;
  /** Undefined for all fields. */
  readonly fields: readonly string[] | undefined;
  readonly keepsFormulas: boolean;
}

/** Writes the records that the page shows into a file, and tells how far it is. */
export function useExport({ collection, search }: Finder) {
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef<AbortController>(undefined);
  const mutation = useMutation({
    mutationFn: async ({ format, fields, keepsFormulas }: Choice) => {
      setProgress(undefined);
      stop.current = new AbortController();
      const { signal } = stop.current;
      const sink = await openSink(collection.name, format);
      const source = client.collection(collection.collection_id).export({
        format: format === 'csv' ? 'csv' : 'ndjson',
        filter: search.filter,
        sort: sortQuery(search.sort),
        fields,
        signal,
      });
      return exportFile(source.stream(), format, sink, { keepsFormulas, onProgress: throttled(setProgress) });
    },
  });
  return { ...mutation, progress, stop: () => stop.current?.abort() };
}

/** Calls at most ten times a second. The end of the export shows its own figures. */
function throttled(show: (progress: Progress) => void): (progress: Progress) => void {
  let last = 0;
  return progress => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    show(progress);
  };
}
