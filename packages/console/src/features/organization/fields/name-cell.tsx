import type { ReactNode } from 'react';
import styles from '../organization.module.css';

interface NameCellProps {
  readonly name: ReactNode;
  /** A second line, for example the slug or the address. */
  readonly below?: ReactNode;
  /** Short marks beside the name. */
  readonly badges?: readonly (string | false)[];
  /** Marks of what is not as usual, for example that a key is disabled. */
  readonly warnings?: readonly (string | false)[];
}

/** The cell that names the item of a row. */
export function NameCell({ name, below, badges = [], warnings = [] }: NameCellProps) {
  return (
    <div className={styles.names}>
      <span className={styles.named}>
        {name}
        {badges.map(
          text =>
            text !== false && (
              <span key={text} className={styles.badge}>
                {text}
              </span>
            ),
        )}
        {warnings.map(
          text =>
            text !== false && (
              <span key={text} className={styles.warning}>
                {text}
              </span>
            ),
        )}
      </span>
      {below !== undefined && <span className={styles.quiet}>{below}</span>}
    </div>
  );
}
