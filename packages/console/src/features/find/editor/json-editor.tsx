import { forceLinting } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { useEffect, useId, useRef } from 'react';
import { t } from '../../../i18n/language.js';
import { type Columns } from '../../../values/field-types.js';
import { type EditorHooks, newEditor } from './code-mirror.js';
import { suggestionsAt } from './completion.js';
import { type Finding, findingsIn, lineOf } from './diagnose.js';
import styles from './editor.module.css';

interface JsonEditorProps {
  readonly text: string;
  readonly columns: Columns;
  readonly fields: readonly string[];
  /** Why the service refused the text as it is now. */
  readonly refusal: string | undefined;
  readonly onChange: (text: string) => void;
  /** Ctrl-Enter. */
  readonly onSubmit: () => void;
}

/** The filter as JSON, with suggestions and with everything that is wrong at its place. */
export default function JsonEditor(props: JsonEditorProps) {
  const { text, refusal } = props;
  const hint = useId();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (host.current === null) return;
    const editor = newEditor(host.current, latest.current.text, hooksOf(latest), { label: t('find.editor') });
    view.current = editor;
    const { current: element } = host;
    element.addEventListener('keydown', keepEscape);
    return () => {
      element.removeEventListener('keydown', keepEscape);
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor asks for the refusal
  useEffect(() => {
    if (view.current !== undefined) forceLinting(view.current);
  }, [refusal]);

  const findings = findingsIn(text, refusal);
  return (
    <div className={styles.editor}>
      <div ref={host} />
      <p id={hint} className={styles.hint}>
        {t('find.editorHint')}
      </p>
      {findings.length > 0 && (
        <ul className={styles.findings} aria-live="polite">
          {findings.map(finding => (
            <li key={`${finding.from}:${textOf(finding)}`}>
              {t('find.editorAt', { line: lineOf(text, finding.from), text: textOf(finding) })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Escape closes the suggestions, and must not close the dialog too. */
function keepEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation();
}

function textOf(finding: Finding): string {
  return 'key' in finding ? t(finding.key) : finding.message;
}

function hooksOf(latest: { readonly current: JsonEditorProps }): EditorHooks {
  return {
    onChange: text => {
      // The page itself may have replaced the text.
      if (text !== latest.current.text) latest.current.onChange(text);
    },
    onSubmit: () => latest.current.onSubmit(),
    suggest: place => suggestionsAt(place, latest.current.columns, latest.current.fields),
    diagnose: text =>
      findingsIn(text, latest.current.refusal).map(finding => ({
        from: finding.from,
        to: Math.max(finding.to, finding.from),
        severity: 'error',
        message: textOf(finding),
      })),
  };
}
