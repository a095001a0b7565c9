import { TextInput } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { membersOf, text } from '../../../shared/json.ts';
import { identityPublic, request, unreadableResponse } from '../../api/request.ts';
import { CopyButton } from '../../ui/buttons.tsx';

const FLOWS = '/self-service/';

/** The identity service tells its public address only in where a form is to be sent. */
const publicAddressQuery = queryOptions({
  queryKey: ['identity-public-address'],
  queryFn: async ({ signal }) => {
    const flow = await request<unknown>(identityPublic(`${FLOWS}login/api`), { signal });
    const action = text(membersOf(membersOf(flow).ui).action);
    if (!/^https?:/.test(action) || !action.includes(FLOWS))
      throw unreadableResponse('identity service', 'where its forms are sent');
    return action.slice(0, action.indexOf(FLOWS));
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Where a provider sends people back to, which has to be registered there. */
export function CallbackAddress({ provider }: { provider: string }) {
  const { data: address, isPending } = useQuery(publicAddressQuery);
  const path = `${FLOWS}methods/oidc/callback/${encodeURIComponent(provider)}`;
  const value = isPending ? '' : `${address ?? 'https://<public address of the identity service>'}${path}`;
  return (
    <TextInput
      label="Callback URL"
      description="Register it at the provider. Where the identity service has a base_redirect_uri, it begins with that."
      variant="filled"
      readOnly
      value={value}
      rightSection={address !== undefined && <CopyButton label="Copy the callback URL" read={() => value} />}
    />
  );
}
