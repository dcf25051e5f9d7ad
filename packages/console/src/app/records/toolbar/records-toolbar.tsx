import type { ReactNode } from 'react';
import styles from './records-toolbar.module.css';

interface RecordsToolbarProps {
  /** Filter, views, export and snippets. It reads and writes the search part of the address only. */
  readonly finder?: ReactNode;
  /** Switches changes as they come on and off. */
  readonly live?: ReactNode;
  /** What concerns the columns. */
  readonly columns?: ReactNode;
}

/** The row above the grid. The finder takes the width that the others leave. */
export function RecordsToolbar({ finder, live, columns }: RecordsToolbarProps) {
  return (
    <div className={styles.toolbar}>
      <div className={styles.finder}>{finder}</div>
      <div className={styles.end}>
        {columns}
        {live}
      </div>
    </div>
  );
}
