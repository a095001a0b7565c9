import { Button, Group } from '@mantine/core';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

/** Something else that the operator may have meant. */
export interface Offer {
  label: string;
  /** Target; for another search of the same list, only its parameters. */
  to: NavigateOptions | { search: Record<string, string | number | undefined> };
  /** The most likely one. */
  first?: true;
}

/** Shown when a search finds nothing. @param offers false ones are skipped */
export function NoMatch({ title, text, offers }: { title: string; text: string; offers: readonly (Offer | false)[] }) {
  const navigate = useNavigate();
  return (
    <EmptyState
      kind="no-match"
      title={title}
      text={text}
      actions={
        <Group gap="xs" justify="center">
          {offers
            .filter((offer) => offer !== false)
            .map(({ label, to, first }) => (
              <Button
                key={label}
                size="xs"
                variant={first ? 'filled' : 'default'}
                onClick={() => void navigate({ to: '.', ...to } as NavigateOptions)}
              >
                {label}
              </Button>
            ))}
        </Group>
      }
    />
  );
}
