import { Tabs } from '@base-ui/react/tabs';
import { Code } from './code.js';
import styles from './tabs.module.css';

/** One way to write the same. */
interface CodeVariant {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Where the code goes. */
  readonly hint?: string;
}

/** The same for several languages or programs, one of which is shown. */
export function CodeTabs({
  label,
  variants,
}: {
  readonly label: string;
  readonly variants: readonly CodeVariant[];
}) {
  return (
    <Tabs.Root defaultValue={variants[0]?.id}>
      <Tabs.List className={styles.tabs} aria-label={label}>
        {variants.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id} className={styles.tab}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {variants.map(({ id, title, text, hint }) => (
        <Tabs.Panel key={id} value={id} className={styles.panel}>
          {hint !== undefined && <p>{hint}</p>}
          <Code text={text} label={title} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
