import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type IdentitySchema, identitySchemasQuery, type KnownSchemas } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { SchemasIncomplete } from '../../../resource/traits/schemas-incomplete.tsx';
import { ClosedPage } from '../../../ui/feedback/closed-page.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { rememberedSchema, rememberSchema } from '../remembered-schema.ts';
import classes from './identity-form.module.css';
import { NewIdentityForm } from './new-identity-form.tsx';

const route = getRouteApi('/signed-in/identities/new');

export function NewIdentityPage() {
  const may = useCan();
  if (!may('upstreams.write')) return <ClosedPage title="New identity" />;
  return (
    <>
      <PageHeading
        title="New identity"
        about="It starts without a password. To let the person set one, create a recovery code or link on its page afterwards."
      />
      <WithSchemas />
    </>
  );
}

function WithSchemas() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  if (known !== undefined) return <WithChosenSchema {...known} />;
  if (error === null) return <LoadingRows label="Loading the schemas" height={320} />;
  return (
    <WithTypedSchema>
      <FailurePanel error={error} title="The schemas are unavailable" onRetry={() => void refetch()} />
    </WithTypedSchema>
  );
}

/** The identity service does not say which schema is its default: with several, the operator chooses. */
function WithChosenSchema(known: KnownSchemas) {
  const { schemas } = known;
  const { schema: inAddress } = route.useSearch();
  const navigate = route.useNavigate();
  const [remembered] = useState(() => rememberedSchema(schemas));
  const chosen = schemas.find(({ id }) => id === (inAddress ?? remembered));
  return (
    <Stack gap="md" className={classes.form}>
      <SchemasIncomplete {...known} />
      <NativeSelect
        label="Schema"
        description="Determines which traits the identity has."
        value={chosen?.id ?? ''}
        data={[
          ...(chosen === undefined ? [{ value: '', label: 'Choose one', disabled: true }] : []),
          ...schemas.map((schema) => ({ value: schema.id, label: labelOf(schema) })),
        ]}
        // In the address, so that the same form is back after a sign-in; typed values are guarded against being lost.
        onChange={({ currentTarget }) => {
          rememberSchema(currentTarget.value);
          void navigate({ search: { schema: currentTarget.value }, replace: true });
        }}
      />
      {chosen !== undefined && <NewIdentityForm key={chosen.id} schemaId={chosen.id} schema={chosen.schema} />}
    </Stack>
  );
}

function WithTypedSchema({ children }: { children: ReactNode }) {
  const { schema: inAddress } = route.useSearch();
  const [typed, setTyped] = useState(inAddress ?? '');
  return (
    <Stack gap="md" className={classes.form}>
      {children}
      <TextInput
        label="Schema"
        description="Its id in the identity service. Leave empty for the default."
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <NewIdentityForm schemaId={typed} schema={undefined} />
    </Stack>
  );
}

const labelOf = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title !== '' && schema.title !== id ? `${schema.title} (${id})` : id;
