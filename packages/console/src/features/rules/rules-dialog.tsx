import { useState } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { useAccessReload } from '../access/queries.js';
import { FieldsEditor } from './fields-editor.js';
import { draftOf, isDraftComplete, partsOf, RULED_ACTIONS, type RuledAction } from './grant-draft.js';
import { RuleEditor } from './rule-editor.js';
import { type RuledGrant, save } from './ruled-grant.js';
import styles from './rules.module.css';

interface RulesDialogProps {
  readonly info: CollectionInfo;
  readonly grant: RuledGrant;
  readonly onClose: () => void;
}

/** Edits which records and fields a binding or key reaches. */
export function RulesDialog({ info, grant, onClose }: RulesDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(grant.parts));
  const reload = useAccessReload();
  const send = async () => {
    await save(info.collection_id, grant, partsOf(draft));
    await reload();
  };
  // Rules of writes mean nothing for a grant that only reads, or has no rules.
  const actions: readonly RuledAction[] =
    grant.writes && draft.rules.read.mode !== 'absent' ? RULED_ACTIONS : ['read'];
  return (
    <FormDialog
      title={t('rules.title', { name: grant.name })}
      action={t('rules.save')}
      shape="wide"
      onClose={onClose}
      send={send}
      isComplete={isDraftComplete(draft)}
    >
      <div className={styles.stack}>
        {actions.map(action => (
          <RuleEditor
            key={action}
            info={info}
            action={action}
            rule={draft.rules[action]}
            onChange={rule => setDraft({ ...draft, rules: { ...draft.rules, [action]: rule } })}
          />
        ))}
        <FieldsEditor
          info={info}
          kind="read"
          list={draft.read}
          onChange={read => setDraft({ ...draft, read })}
        />
        {grant.writes && (
          <FieldsEditor
            info={info}
            kind="write"
            list={draft.write}
            onChange={write => setDraft({ ...draft, write })}
          />
        )}
      </div>
    </FormDialog>
  );
}
