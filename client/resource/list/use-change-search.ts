import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Changes search parameters of a list, which then begins at its first page. @param replace the history entry, too */
export function useChangeSearch(): (values: Record<string, string | undefined>, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (values, replace = false) =>
      void navigate({ to: '.', search: (before) => ({ ...before, ...values }), state: {}, replace }),
    [navigate],
  );
}
