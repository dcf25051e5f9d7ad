import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import styles from '../import.module.css';

interface DropZoneProps {
  readonly onFile: (file: File) => void;
  /** Why the chosen file cannot be used. */
  readonly problem: string | undefined;
}

/** A place to drop a file, with a button that chooses one. */
export function DropZone({ onFile, problem }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementInteractions: the button in it does the same
    <section
      aria-label={t('import.file')}
      className={styles.drop}
      data-over={isOver}
      onDragOver={event => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp size={32} aria-hidden />
      <p>{t('import.drop')}</p>
      <Button look="primary" onClick={() => input.current?.click()}>
        {t('import.choose')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('import.file')}
        accept=".csv,.tsv,.tab,.txt,.json,.ndjson,.jsonl,text/csv,application/json"
        onChange={({ target }) => {
          take(target.files);
          target.value = '';
        }}
      />
      <p className={styles.quiet}>{t('import.formats')}</p>
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </section>
  );
}
