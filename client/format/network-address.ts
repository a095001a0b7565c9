/** Where no proxy named the caller, the identity service stores the socket's address with its port. */
export function addressWithoutPort(address: string | null | undefined): string | undefined {
  if (address === null || address === undefined || address === '') return undefined;
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1];
  return bracketed ?? /^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/.exec(address)?.[1] ?? address;
}

/** A device's IP address, if the stored text is one: callers can put anything into their headers. */
export function addressIn(address: string | null | undefined): string | undefined {
  const bare = addressWithoutPort(address)?.replace(/%.*$/s, '');
  return bare !== undefined && (isIpv4(bare) || (bare.includes(':') && URL.canParse(`http://[${bare}]/`)))
    ? bare
    : undefined;
}

const isIpv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
