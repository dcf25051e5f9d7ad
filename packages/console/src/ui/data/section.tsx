import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

interface SectionProps {
  readonly title: string;
  readonly text?: string;
  /** Buttons at the end of the heading. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A framed part of a page with its heading. */
export function Section({ title, text, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section}>
      <div className={styles.header}>
        <div>
          <h2 id={id}>{title}</h2>
          {text !== undefined && <p className={styles.text}>{text}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
