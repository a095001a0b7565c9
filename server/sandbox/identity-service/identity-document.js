/** Login identifiers and addresses are compared in this form. */
export const normalised = (value) => value.trim().toLowerCase();
/** What must be one person's alone: the identifiers of each credential type, and addresses. */
export function uniqueValues(identity) {
  return [
    ...Object.values(identity.credentials).flatMap(({ type, identifiers }) =>
      identifiers.map((value) => ({ kind: type, value })),
    ),
    ...identity.verifiable_addresses.map(({ via, value }) => ({ kind: `verifiable-${via}`, value })),
    ...identity.recovery_addresses.map(({ via, value }) => ({ kind: `recovery-${via}`, value })),
  ];
}
