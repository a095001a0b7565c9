import { Button, Group } from '@mantine/core';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

/** What is likely meant instead. */
export interface Offer {
  label: string;
  /** Where it leads; for another search of the same list its parameters alone. */
  to: NavigateOptions | { search: Record<string, string | number | undefined> };
  /** The likeliest. */
  first?: true;
}

/** A search without a match. @param offers those that are false are left out */
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
