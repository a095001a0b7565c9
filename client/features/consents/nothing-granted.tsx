import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { identityIdIn } from '../../wording/identity-id.ts';

/** A subject without consents, and what else the text may be. */
export const NothingGranted = ({ subject }: { subject: string }) => (
  <EmptyState
    kind="no-match"
    title="Nothing is granted under this subject"
    text="It granted nothing, all of it is revoked, or no such subject exists: the OAuth server does not say which. The whole subject must match, upper and lower case too."
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
