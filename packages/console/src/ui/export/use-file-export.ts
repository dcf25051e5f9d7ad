import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { exportFile, type Format, type Progress } from './export-file.js';
import { openSink } from './sinks.js';

/** How the file is written. */
interface FileChoice {
  readonly format: Format;
  readonly keepsFormulas: boolean;
}

/** The bytes of a file as the service writes them: CSV, or NDJSON for the other formats. */
export type FileSource = (format: 'csv' | 'ndjson', signal: AbortSignal) => ReadableStream<Uint8Array>;

/** Writes what a source sends into a file, tells how far it is, and can stop. */
export function useFileExport(name: string, source: FileSource) {
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef<AbortController>(undefined);
  const mutation = useMutation({
    mutationFn: async ({ format, keepsFormulas }: FileChoice) => {
      setProgress(undefined);
      stop.current = new AbortController();
      const { signal } = stop.current;
      const sink = await openSink(name, format);
      return exportFile(source(format === 'csv' ? 'csv' : 'ndjson', signal), format, sink, {
        keepsFormulas,
        onProgress: throttled(setProgress),
      });
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
