import { useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { saveText } from '../grid/actions/copy.js';
import styles from './panel.module.css';

/** So many characters are shown at first, so that a long value does not slow the page down. */
const SHOWN_FIRST = 10_000;
/** Longer values can be downloaded only: a browser cannot lay out such a text in reasonable time. */
const SHOWN_AT_ALL = 2_000_000;

interface LongTextProps {
  readonly text: string;
  /** Text with the letters of code, for JSON. */
  readonly isCode: boolean;
  /** Name of the file when it is downloaded. */
  readonly fileName: string;
}

/** A text of any length. A long one is cut, with buttons to see all of it and to download it. */
export function LongText({ text, isCode, fileName }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN_FIRST;
  const shown = isLong && !isWhole ? text.slice(0, SHOWN_FIRST) : text;
  return (
    <>
      <div className={`${styles.text} ${isCode ? styles.code : ''}`}>{shown}</div>
      {isLong && (
        <div className={styles.more}>
          {!isWhole && <span>{t('records.shownOf', { shown: SHOWN_FIRST, all: text.length })}</span>}
          {!isWhole && text.length <= SHOWN_AT_ALL && (
            <Button onClick={() => setWhole(true)}>{t('records.showAll')}</Button>
          )}
          <Button onClick={() => saveText(text, fileName)}>{t('records.download')}</Button>
        </div>
      )}
    </>
  );
}
