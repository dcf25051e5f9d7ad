import type { PlanStep } from '@typed-collections/client';
import { t } from '../../../i18n/language.js';
import styles from './explain.module.css';

interface PlanTreeProps {
  readonly plan: PlanStep;
  /** The time of the whole read, in milliseconds. */
  readonly total: number;
}

/** The steps of a read, the last one first. Below each step are those that it got its rows from. */
export function PlanTree({ plan, total }: PlanTreeProps) {
  return (
    <ul className={styles.plan}>
      <Step plan={plan} total={total} />
    </ul>
  );
}

function Step({ plan: { step, rows, ms, children }, total }: PlanTreeProps) {
  return (
    <li>
      <div className={styles.step}>
        <span>{step}</span>
        <span className={styles.quiet}>{t('schema.stepFigures', { rows, ms })}</span>
        <span
          aria-hidden
          className={styles.share}
          style={{ width: `${Math.min(100, (100 * ms) / Math.max(total, ms, 0.001))}%` }}
        />
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a plan do not move
            <Step key={index} plan={child} total={total} />
          ))}
        </ul>
      )}
    </li>
  );
}
