import { Link } from '@tanstack/react-router';
import { FileSpreadsheet, MessageSquareText, Terminal } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import button from '../../../ui/controls/button.module.css';
import { Code } from '../../../ui/controls/code.js';
import { ApiLines } from './api-lines.js';
import styles from './first-steps.module.css';
import { linesOf } from './lines.js';
import { SampleButton } from './sample-button.js';

/** What to do while there is no collection: sample data, a file, a description, the API. */
export function FirstSteps({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <div className={styles.steps}>
      <section className={styles.sample}>
        <h2>{t('collections.emptyTitle')}</h2>
        <p>{t('collections.sampleText')}</p>
        <SampleButton />
      </section>
      <h2>{t('collections.waysTitle')}</h2>
      <div className={styles.ways}>
        <Way icon={<MessageSquareText size={20} aria-hidden />} title={t('collections.wayDescription')}>
          <p>{t('collections.wayDescriptionText')}</p>
          <Button onClick={onCreate}>{t('collections.describe')}</Button>
        </Way>
        <Way icon={<FileSpreadsheet size={20} aria-hidden />} title={t('collections.wayCsv')}>
          <p>{t('import.newText')}</p>
          <Link to="/import" className={button.button}>
            {t('import.choose')}
          </Link>
          <p>{t('collections.wayCsvText')}</p>
          <Code text={linesOf(location.origin).csv} label={t('collections.wayCsv')} />
        </Way>
        <Way icon={<Terminal size={20} aria-hidden />} title={t('collections.wayApi')}>
          <ApiLines />
        </Way>
      </div>
    </div>
  );
}

interface WayProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}

function Way({ icon, title, children }: WayProps) {
  return (
    <section className={styles.way}>
      <h3>
        {icon}
        {title}
      </h3>
      {children}
    </section>
  );
}
