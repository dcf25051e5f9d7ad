import { useQueryClient } from '@tanstack/react-query';
import { ConfirmButton as Button } from '../../../ui/overlays/confirm-dialog.js';
import { LISTS } from './queries.js';

interface ConfirmButtonProps {
  readonly label: string;
  /** The name of the button for screen readers, which says what it is about. */
  readonly name?: string;
  /** The question, and what follows from a yes. */
  readonly title: string;
  readonly texts: readonly (string | false)[];
  readonly run: () => Promise<unknown>;
}

/** A step that ends something of the account. The lists of the page are read again afterwards. */
export function ConfirmButton({ texts, run, ...question }: ConfirmButtonProps) {
  const queryClient = useQueryClient();
  const runAndReload = async () => {
    await run();
    await queryClient.invalidateQueries({ queryKey: LISTS });
  };
  return (
    <Button {...question} run={runAndReload}>
      {texts.map(text => text !== false && <p key={text}>{text}</p>)}
    </Button>
  );
}
