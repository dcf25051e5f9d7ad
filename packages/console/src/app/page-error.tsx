import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorBox } from '../ui/states/error-box.js';

/** What a page shows instead of itself when it fails. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return <ErrorBox error={error} onRetry={retry} />;
}
