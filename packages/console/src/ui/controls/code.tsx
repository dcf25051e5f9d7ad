import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n/language.js';
import { IconButton } from './button.js';
import styles from './code.module.css';

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

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, if it is not clear from where the button stands. */
  readonly label?: string;
}

/** Copies a text, and says so. */
function CopyButton({ text, label = t('common.copy') }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
  return (
    <>
      <IconButton label={label} icon={icon} onClick={() => void copy()} />
      <span role="status" className="visually-hidden">
        {copied && t('common.copied')}
      </span>
    </>
  );
}
