import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { client } from '../../../api/client.js';
import { featuresQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { isComposing } from '../../../ui/controls/composing.js';
import { TextAreaField } from '../../../ui/controls/field.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { sortNames } from '../sort.js';
import type { Finder } from '../use-finder.js';
import { AnswerView } from './answer-view.js';
import styles from './ask.module.css';
import { type Plan, planOf, shownBy } from './plan.js';

interface AskDialogProps {
  readonly finder: Finder;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The most characters that the service takes. */
const MAX_CHARACTERS = 2_000;

/** A question in plain language: the answer, what was read for it, and the records in the grid. */
export default function AskDialog({ finder, open, onOpenChange }: AskDialogProps) {
  const { collection, applyFilter } = finder;
  const [question, setQuestion] = useState('');
  const stop = useRef(new AbortController());
  const { data: features } = useQuery(featuresQuery);
  const show = (plan: Plan) => {
    const shown = shownBy(plan);
    if (shown === undefined) return;
    const sort = sortNames(shown.sort);
    applyFilter(shown.filter, { sort: sort.length === 0 ? undefined : sort, view: undefined });
  };
  const asking = useMutation({
    mutationFn: (question: string) => {
      stop.current = new AbortController();
      return client.collection(collection.collection_id).ask(question, { signal: stop.current.signal });
    },
    onSuccess: answer => {
      const plan = planOf(answer.plan);
      if (plan?.operation === 'query') show(plan);
    },
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (question.trim() !== '' && !asking.isPending) asking.mutate(question.trim());
  };
  const failed = asking.error !== null && asking.error.name !== 'AbortError';
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('find.askTitle')} shape="panel">
      <form className={styles.form} onSubmit={submit}>
        <TextAreaField
          label={t('find.question')}
          hint={t('find.questionHint')}
          rows={2}
          maxLength={MAX_CHARACTERS}
          value={question}
          onChange={setQuestion}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
            event.preventDefault();
            submit();
          }}
        />
        <div className={styles.actions}>
          {asking.isPending && <Button onClick={() => stop.current.abort()}>{t('find.askStop')}</Button>}
          <Button type="submit" look="primary" disabled={asking.isPending || question.trim() === ''}>
            {t('find.askNow')}
          </Button>
        </div>
      </form>
      <div aria-live="polite">
        {asking.isPending && <Loading lines={2} />}
        {failed && <ErrorBox error={asking.error} onRetry={submit} />}
        {asking.data !== undefined && (
          <AnswerView
            answer={asking.data}
            model={features?.ask.model}
            columns={collection.schema}
            onShow={show}
          />
        )}
      </div>
    </Dialog>
  );
}
