import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRefusal } from '../../../api/session.ts';
import { GuardedButton } from '../../../ui/guarded-button.tsx';
import { IconUserPlus } from '../../../ui/icons.ts';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { IdentityList } from './identity-list.tsx';

export function IdentitiesPage() {
  const refusal = useRefusal('upstreams.write');
  const icon = <IconUserPlus />;
  return (
    <>
      <PageHeading
        title="Identities"
        about="The people and accounts of this deployment's identity service."
        actions={
          refusal === undefined ? (
            <>
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/identities/export" preload={false} />}
              >
                Export
              </Button>
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/identities/import" preload={false} />}
              >
                Import
              </Button>
              <Button
                leftSection={icon}
                renderRoot={(props) => <Link {...props} to="/identities/new" preload={false} />}
              >
                New identity
              </Button>
            </>
          ) : (
            <GuardedButton reason={refusal} leftSection={icon} onClick={() => {}}>
              New identity
            </GuardedButton>
          )
        }
      />
      <IdentityList />
    </>
  );
}
