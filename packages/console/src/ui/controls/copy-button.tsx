import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n/language.js';
import { IconButton } from './button.js';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, if it is not clear from where the button stands. */
  readonly label?: string;
}

/** Copies a text, and says so. */
export function CopyButton({ text, label = t('common.copy') }: CopyButtonProps) {
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
