import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { language, t } from '../../../i18n/language.js';
import { ambiguousDates } from '../../../values/local-values.js';
import {
  type Head,
  headOf,
  linesOf,
  problemOf,
  type Reading,
  recognized,
  type Samples,
  samplesOf,
} from '../file/head.js';

/** The file that the person chose, and how it is read. */
export interface ChosenFile {
  readonly file: File;
  readonly reading: Reading;
  readonly samples: Samples;
  /** Its first lines, one of which can have the names of the fields. */
  readonly lines: readonly string[];
  /** Changes how the file is read. */
  readonly read: (part: Partial<Reading>) => void;
  /** Chooses another file. */
  readonly forget: () => void;
}

interface Chosen {
  readonly file: File;
  readonly head: Head;
  readonly reading: Reading;
}

/** The chosen file; without one, how to choose it and why the last one cannot be used. */
export function useChosenFile() {
  const [chosen, setChosen] = useState<Chosen>();
  const choosing = useMutation({
    mutationFn: async (file: File) => {
      const head = await headOf(file);
      const problem = problemOf(head);
      if (problem !== undefined) throw new Error(t(`import.file_${problem}`));
      setChosen({ file, head, reading: recognized(head, language() === 'fr' ? 'dmy' : ambiguousDates()) });
    },
  });
  const file: ChosenFile | undefined = chosen && {
    file: chosen.file,
    reading: chosen.reading,
    samples: samplesOf(chosen.head, chosen.reading),
    lines: linesOf(chosen.head, chosen.reading),
    read: part => setChosen({ ...chosen, reading: { ...chosen.reading, ...part } }),
    forget: () => setChosen(undefined),
  };
  return { file, choose: choosing.mutate, problem: choosing.error?.message };
}
