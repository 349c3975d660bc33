// The helper's side of helper-process.ts, without its packages: a helper starts quickly.

/** What a helper says first, over IPC: that it works (a server: at which URL), or why it cannot. */
export type HelperHello =
  | { readonly kind: 'ready'; readonly url?: string | undefined }
  | { readonly kind: 'refused'; readonly message: string }

/** Says it, and resolves when it is out. */
export async function greet(hello: HelperHello): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(hello, () => resolve()))
}
