import styles from './code.module.css';
import { CopyButton } from './copy-button.js';

interface CodeProps {
  readonly text: string;
  /** What the code is, for screen readers. */
  readonly label: string;
  /** The name of the button that copies, if it is not clear from where it stands. */
  readonly copyLabel?: string;
}

/** Code to read and to copy. Long lines scroll, by keyboard too. */
export function Code({ text, label, copyLabel }: CodeProps) {
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} {...(copyLabel !== undefined && { label: copyLabel })} />
    </div>
  );
}
