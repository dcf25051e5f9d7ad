import { t } from '../../../i18n/language.js';
import { Check } from '../../../ui/controls/check-list.js';
import styles from './field-chooser.module.css';

export type FieldChoice = 'all' | 'shown' | 'chosen';

interface FieldChooserProps {
  /** The fields that can be chosen. */
  readonly names: readonly string[];
  /** True if the address names the columns that the grid shows. */
  readonly hasShown: boolean;
  readonly choice: FieldChoice;
  readonly chosen: readonly string[];
  readonly onChoice: (choice: FieldChoice) => void;
  readonly onChosen: (names: readonly string[]) => void;
}

/** All fields, those that the grid shows, or some that are marked. The file has them in the order of the list. */
export function FieldChooser({ names, hasShown, choice, chosen, onChoice, onChosen }: FieldChooserProps) {
  const choices: readonly FieldChoice[] = hasShown ? ['all', 'shown', 'chosen'] : ['all', 'chosen'];
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChosen(names.filter(each => next.has(each)));
  };
  return (
    <fieldset className={styles.fields}>
      <legend className={styles.legend}>{t('find.exportFields')}</legend>
      {choices.map(each => (
        <label key={each} className={styles.choice}>
          <input type="radio" name="fields" checked={choice === each} onChange={() => onChoice(each)} />
          {t(`find.fields_${each}`)}
        </label>
      ))}
      {choice === 'chosen' && (
        <fieldset className={styles.names}>
          <legend className="visually-hidden">{t('find.chooseFields')}</legend>
          {names.map(name => (
            <Check key={name} label={name} checked={chosen.includes(name)} onChange={() => toggle(name)} />
          ))}
        </fieldset>
      )}
      {choice === 'chosen' && chosen.length === 0 && <p className={styles.warning}>{t('find.noFields')}</p>}
    </fieldset>
  );
}
