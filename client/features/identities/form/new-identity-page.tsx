import '@mantine/core/styles/Input.layer.css';
import { NativeSelect, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type IdentitySchema, identitySchemasQuery } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { ClosedPage } from '../../../ui/closed-page.tsx';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import classes from './identity-form.module.css';
import { NewIdentityForm } from './new-identity-form.tsx';

const route = getRouteApi('/signed-in/identities/new');

export function NewIdentityPage() {
  const may = useCan();
  if (!may('identities.write')) return <ClosedPage title="New identity" />;
  return (
    <>
      <PageHeading
        title="New identity"
        about="It has no password. A recovery code or link, made on its page afterwards, lets the person set one."
      />
      <WithSchemas />
    </>
  );
}

function WithSchemas() {
  const { data: schemas, error, refetch } = useQuery(identitySchemasQuery);
  const { schema: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(chosen ?? '');
  if (schemas === undefined && error === null) {
    return <Skeleton height={320} aria-busy aria-label="Loading the schemas" />;
  }
  const id = schemas === undefined ? typed : (schemas.find((schema) => schema.id === chosen) ?? schemas[0])?.id;
  return (
    <Stack gap="md" className={classes.form}>
      {error !== null && (
        <FailurePanel error={error} title="The schemas are unavailable" onRetry={() => void refetch()} />
      )}
      {schemas === undefined ? (
        <TextInput
          label="Schema"
          description="Its id in the identity service. Empty for the default one."
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : (
        <NativeSelect
          label="Schema"
          description="What this identity is: it decides which traits it has."
          value={id}
          data={schemas.map((schema) => ({ value: schema.id, label: labelOf(schema) }))}
          // In the address, so that the form is the same after a sign-in; what is typed asks before it is lost.
          onChange={(event) => void navigate({ search: { schema: event.currentTarget.value }, replace: true })}
        />
      )}
      <NewIdentityForm
        key={schemas === undefined ? 'any' : id}
        schemaId={id ?? ''}
        schema={schemas?.find((schema) => schema.id === id)?.schema}
      />
    </Stack>
  );
}

const labelOf = ({ id, schema }: IdentitySchema): string =>
  typeof schema.title === 'string' && schema.title !== '' && schema.title !== id ? `${schema.title} (${id})` : id;
