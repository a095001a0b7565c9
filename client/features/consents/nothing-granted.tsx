import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { identityIdIn } from '../../format/identity-id.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

/** A subject without consents, and what else the text may be. */
export const NothingGranted = ({ subject }: { subject: string }) => (
  <EmptyState
    kind="no-match"
    title="Nothing is granted under this subject"
    text="Nothing was granted, everything has been revoked, or there is no such subject: the OAuth server does not say which. The whole subject must match, including upper and lower case."
    actions={
      identityIdIn(subject) === undefined && (
        <Button
          size="xs"
          variant="default"
          renderRoot={(props) => <Link {...props} to="/identities" search={{ identifier: subject }} preload={false} />}
        >
          Find the identity that signs in with it
        </Button>
      )
    }
  />
);
