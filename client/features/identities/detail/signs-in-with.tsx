import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCredentials } from './credential-names.ts';
import { identityCredentialsQuery } from './credential-queries.ts';

/** The names of the credentials. The Credentials tab shows why they are unknown. */
export function SignsInWith({ id }: { id: string }) {
  const { data: credentials, error } = useQuery(identityCredentialsQuery(id));
  if (credentials !== undefined) return formatCredentials(credentials);
  return error === null ? (
    <Skeleton height={14} mt={4} width="8rem" role="status" aria-busy aria-label="Loading" />
  ) : (
    'unknown'
  );
}
