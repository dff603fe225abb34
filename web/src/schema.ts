// Generated from openapi/openapi.yaml by "npm run types". Do not edit.

export interface paths {
    "/v1/allocate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Allocate devices
         * @description Which devices would the scheduler give to the claims and pods of the bundle, on which node, and why not?
         */
        post: operations["allocate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/capacity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count how many more fit
         * @description How many copies of this pod, this claim or this template still find a place, per node and in all, and what runs out first? They are placed one after the other, behind all pods and claims of the bundle. Name one of pod, claim and template.
         */
        post: operations["capacity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/convert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show objects as they are stored, in any API version
         * @description What does the API server make of these objects? With the defaults that it fills in, without the fields that it drops, in the API version that is asked for, and with everything that gets lost on the way.
         */
        post: operations["convert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show the files through which containers learn about their devices
         * @description Which files do drivers write for the allocated claims (KEP-5304), to the byte, where do they lie, and which of them does each container see? What is not allocated is planned first.
         */
        post: operations["device-metadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-metadata/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a file of device metadata
         * @description Can readers take this file that a driver wrote for containers, does it keep to the rules of its API, and to the protocol?
         */
        post: operations["device-metadata-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-metadata/check-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a file of device metadata that follows another
         * @description The same for a file that takes the place of another: has the generation risen, if anything has changed?
         */
        post: operations["device-metadata-check-update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare what becomes of pods before and after a change
         * @description Two bundles, and options for each: of which pods and claims does something else become, and why? The text can be the same on both sides, if only a version or gates differ.
         */
        post: operations["diff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain what becomes of a pod or claim
         * @description Why does this pod or claim not fit, and what would have to change? Every change that is shown has been made and planned, and with it the pod or claim fits; smallest first. Name one of pod and claim.
         */
        post: operations["explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/negotiation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Play how a driver's controller and the scheduler agree on a node
         * @description In Kubernetes 1.26 to 1.31 the controller of a driver could allocate, and agreed with the scheduler on a node over a PodSchedulingContext. Who writes what, and why, until each pod has a node or nothing moves any more? Without a version it is the last that has the objects of the text.
         */
        post: operations["negotiation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/node-operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell what kubelets do with the claims of pods
         * @description Which drivers does the kubelet call before a pod starts and after it has ended, which calls does it skip, and what makes a pod wait on its node? Pods that came with a node are told who does what for them, and where that ends.
         */
        post: operations["node-operations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pod-resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what monitoring reads from a kubelet
         * @description What does the kubelet of a node answer over its PodResources API (v1): List, Get and GetAllocatableResources? What is not allocated is planned first. `drawbridge podresources` serves the same answers over the API itself.
         */
        post: operations["pod-resources"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resource-health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell the health of the devices of pods
         * @description What does the kubelet write into the status of pods about the health of their devices, which pods use an unhealthy one, and which DeviceTaintRule would take that out of service? What drivers report stands in the bundle as objects of kind DeviceHealth (drawbridge-dra.github.io/v1); for a device without a report, conditions in the status of its claim count.
         */
        post: operations["resource-health"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Write the roles with the fewest rights
         * @description A ClusterRole and its binding for a scheduler or a driver, with the rights that writing the status of claims takes from Kubernetes 1.36 on. They are tried before they are shown.
         */
        get: operations["roles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rules that findings name
         * @description Every rule with an example and its mend: all rules, or those of a source, or one. The page /rules.html shows the same.
         */
        get: operations["rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status-authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tell who may write the status of a claim
         * @description Given Roles, ClusterRoles and bindings: may this user or service account write the status of these claims, by the rules for its parts that Kubernetes 1.36 added? With the rule that allows each part, or the smallest one that would. Roles count wherever they stand; claims are compared before and after, or the query says what is written.
         */
        post: operations["status-authorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate a bundle
         * @description Would the API server accept these objects, would it drop a field, and do they fit each other? The status is 200 whenever the body could be read, whatever is wrong inside it.
         */
        post: operations["validate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/validate-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an update of a bundle
         * @description Would the API server accept these objects in place of those? Objects belong together by kind, namespace and name; those that are only in the text after are created, those only in the text before deleted. The rules across objects look at the text after.
         */
        post: operations["validate-update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List Kubernetes versions and feature gates */
        get: operations["versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AllocatableResources: {
            [key: string]: unknown;
        };
        AllocateResult: {
            /**
             * @description Which of the scheduler's three allocators these gates make it run, and this answer follows.
             * @enum {string}
             */
            allocator: "stable" | "incubating" | "experimental";
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            /** @description Every claim, generated ones included: first those of pods, then the rest. */
            claims: components["schemas"]["ClaimResult"][];
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description Which pods that have a node would go because of taints with effect NoExecute: one entry for each DeviceTaintRule with that effect, or with None as if it had it, and for each taint of a slice that makes a pod go. */
            evictions?: components["schemas"]["Eviction"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description What there is in the cluster, who holds it and where it stands in the text, with picture=true. */
            picture?: components["schemas"]["Picture"];
            /** @description Every pod that uses devices, by claims or by extended resources that a DeviceClass stands behind, in the bundle's order. Other pods are not listed and not placed; those that have a node count for what they take of it. */
            pods: components["schemas"]["PodResult"][];
        };
        AllocatedDevice: {
            attributes?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            driver: string;
            name: string;
            /** @description A NetworkDeviceData of resource.k8s.io/v1, as Kubernetes documents it. */
            networkData?: {
                [key: string]: unknown;
            };
            pool: string;
        };
        AnswerNote: {
            /** @description Namespace and name of the claim that it is about. */
            claim?: string;
            /** @description Stable code of the note. */
            code: string;
            /** @description Where in the submitted text the cause lies. */
            location?: components["schemas"]["Location"];
            /** @description What happens, and what to do. */
            message: string;
        };
        CDIDevice: {
            name?: string;
        };
        CapacityResult: {
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            /** @description False if counting stopped at the limit: there is room for at least so many. */
            complete: boolean;
            /**
             * Format: int64
             * @description How many more find a place, one after the other, once all pods and claims of the bundle have theirs.
             */
            copies: number;
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description Why that copy fits nowhere, nodes that are alike together. */
            groups?: components["schemas"]["NodeGroup"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /**
             * Format: int64
             * @description How many copies are counted at most; fewer for clusters of many nodes.
             */
            limit: number;
            /** @description The answer in one or two sentences: how many, and what runs out first. */
            message: string;
            /** @description How many each node gets, in the bundle's order; nodes that get none are left out. */
            nodes: components["schemas"]["NodeCopies"][];
            /**
             * @description What becomes of the first copy that finds no place.
             * @enum {string}
             */
            outcome?: "Unschedulable" | "Unallocated" | "Invalid" | "Undecided";
        };
        Change: {
            /** @description The objects as they are to be: YAML or JSON, empty for none. */
            after: string;
            /** @description The objects as they are stored: YAML or JSON, empty for none. */
            before: string;
        };
        CheckMetadataResult: {
            current: components["schemas"]["CheckedMetadata"];
            /** @description What is wrong: with the file, then with the one before. */
            findings: components["schemas"]["MetadataFinding"][];
            /** @description Missing if there is no file before. */
            previous?: components["schemas"]["CheckedMetadata"];
            /** @description True if no finding has severity error. */
            valid: boolean;
        };
        CheckedMetadata: {
            /**
             * Format: int64
             * @description Generation of the file.
             */
            generation?: number;
            /** @description Name of the claim. */
            name?: string;
            /** @description Namespace of the claim, as of the object that Kubernetes' reader takes. */
            namespace?: string;
            /** @description Every object of the file, in its order. */
            objects: components["schemas"]["CheckedObject"][];
            /** @description The entry of the pod for which the claim was made. */
            podClaimName?: string;
            /** @description The requests of the claim in this file, with their devices. */
            requests?: components["schemas"]["DeviceMetadataRequest"][];
            /** @description UID of the claim. */
            uid?: string;
        };
        CheckedObject: {
            /** @description As written. */
            apiVersion: string;
            /**
             * Format: int64
             * @description Position in the file, from 0.
             */
            index: number;
            /** @description As written. */
            kind: string;
            /** @description True if Kubernetes' reader knows the version; it passes over others. */
            known: boolean;
            /** @description Where in the file it starts. */
            location?: components["schemas"]["Location"];
            /** @description True if it can be read. */
            readable: boolean;
            /** @description True for the object that Kubernetes' reader takes. */
            taken?: boolean;
        };
        ClaimOperations: {
            /** @description Namespace and name of the claim; missing if there is none. */
            claim?: string;
            /** @description Stable code of what is in the way. */
            code?: string;
            /** @description The drivers of the claim's devices, by name. */
            drivers?: components["schemas"]["DriverOperations"][];
            /** @description Name of the claim in the pod; empty for the one that stands for extended resources. */
            entry: string;
            /** @description Where in the submitted text the claim, its template, or its entry in the pod stands. */
            location?: components["schemas"]["Location"];
            /** @description What the kubelet makes of the claim, in a sentence. */
            message: string;
            /** @description Other pods on the node for which the claim is prepared, as namespace/name. */
            shared?: string[];
        };
        ClaimResource: {
            /** @description As the kubelet prints them: those of the device, behind those of all devices of the same driver before it. */
            cdiDevices?: components["schemas"]["CDIDevice"][];
            deviceName?: string;
            driverName?: string;
            poolName?: string;
            shareId?: string;
        };
        ClaimResult: {
            /** @description The whole claim in resource.k8s.io/v1, as the scheduler would write it. */
            claim: {
                [key: string]: unknown;
            };
            /** @description The nodes that were tried, those alike together, for a claim that no pod of the bundle uses, with explain=summary. */
            groups?: components["schemas"]["NodeGroup"][];
            /** @description Where in the submitted text the name of the claim stands, or of the template that it is made from, with picture=true. */
            location?: components["schemas"]["Location"];
            /** @description The outcome in one or two sentences. */
            message?: string;
            /** @description The node for which the claim was allocated. */
            node?: string;
            /** @description Every node that was tried, for a claim that no pod of the bundle uses; missing with explain=summary or none. */
            nodes?: components["schemas"]["NodeResult"][];
            /** @enum {string} */
            outcome: "Allocated" | "AlreadyAllocated" | "Unallocated" | "Invalid" | "Undecided";
            /** @description The pod, as namespace/name, for which the claim was allocated. */
            pod?: string;
        };
        ClaimRights: {
            allowed: boolean;
            /** @description True if the subject counts as being on that node. */
            associated: boolean;
            /** @description What must be allowed, in the order in which the API server asks. It stops where the request as such is refused; what it would ask next is listed all the same. */
            checks: components["schemas"]["RightCheck"][];
            /** @description Namespace and name of the claim. */
            claim: string;
            /** @description The drivers whose entries of status.devices are added, changed or removed. */
            drivers: string[];
            /** @description Where in the text after the claim's name stands. */
            location?: components["schemas"]["Location"];
            /** @description The answer in one sentence. */
            message: string;
            /** @description The one node that the claim is allocated to, by name, once it is written. */
            node?: string;
            /** @description What is written: allocation, reservedFor, devices. */
            writes: string[];
        };
        ContainerHealthStatus: {
            allocatedResourcesStatus: components["schemas"]["ResourceStatus"][];
            /** @description Name of the container. */
            name: string;
        };
        ContainerResources: {
            /** @description One for each claim that the container uses. */
            dynamicResources?: components["schemas"]["DynamicResource"][];
            name?: string;
        };
        ConvertResult: {
            /** @description What is wrong with the objects one by one; what the API server refuses it does not store. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description Every object of the bundle, in its order. */
            objects: components["schemas"]["ConvertedObject"][];
        };
        ConvertedObject: {
            /** @description API version as written. */
            apiVersion: string;
            /** @description What is different, by kind of change and then in the order of the fields. */
            changes: components["schemas"]["StoredChange"][];
            /**
             * Format: int64
             * @description Position of the object in the bundle, from 0.
             */
            index: number;
            /** @description Kind as written. */
            kind: string;
            /** @description Why the object is not given. */
            message?: string;
            /** @description metadata.name, or metadata.generateName with a trailing * where there is no name. */
            name: string;
            /** @description Namespace as written; empty where there is none. */
            namespace: string;
            /** @description The object with defaults and without dropped fields, as YAML. */
            text?: string;
            /** @description The API version in which the object is given; missing where it is not. */
            to?: string;
            /** @description False if any finding with severity error is about this object: then it would not be stored. */
            valid: boolean;
            /** @description The API versions in which this version of Kubernetes has the kind, newest first. */
            versions?: string[];
            /** @description The object as it was written, as YAML in the same form as text, to compare the two. */
            written?: string;
        };
        Counterfactual: {
            /** @description The change, and what it leads to, in one sentence. */
            message: string;
            /** @description The node that it then goes to. */
            node?: string;
            /** @description What to change; all of it together. */
            steps: components["schemas"]["Modification"][];
        };
        DeviceGroup: {
            /** @description Stable code of the rule that refused the devices. */
            code: string;
            /**
             * Format: int64
             * @description How many devices, on all nodes of the group together.
             */
            count: number;
            /** @description The first of them, as driver/pool/device. */
            example: string;
            /** @description Where in the submitted text the cause for that one lies. */
            location?: components["schemas"]["Location"];
            /** @description What is said of that one. */
            message: string;
        };
        DeviceMetadataContainer: {
            init?: boolean;
            /** @description The files of claims of its pod that are not. */
            misses: components["schemas"]["MissedDeviceMetadata"][];
            name: string;
            /** @description The files that are mounted into it. */
            sees: components["schemas"]["SeenDeviceMetadata"][];
        };
        DeviceMetadataFile: {
            /** @description The description, to the byte. */
            cdi: string;
            /** @description The device of the Container Device Interface that mounts it. */
            cdiId: string;
            /** @description Where that is described for the container runtime. */
            cdiPath: string;
            /** @description Namespace and name of the claim. */
            claim: string;
            /** @description Where a container finds it. */
            containerPath: string;
            /** @description What stands in it, to the byte: one object for each version, one behind the other. */
            content: string;
            /** @description The devices in it, as pool/device, in their order. */
            devices: string[];
            driver: string;
            /** Format: int64 */
            generation: number;
            /** @description Where it lies on the node. */
            hostPath: string;
            /** @description Where in the submitted text the name of the claim stands, or of the template that it is made from. */
            location?: components["schemas"]["Location"];
            /** @description The nodes on which it is written: those of the pods that use the claim. */
            nodes: string[];
            /** @description The pods that use the claim, as namespace/name. */
            pods: string[];
            /** @description The request as it stands in the file, with the alternative that was chosen. */
            reference: string;
            /** @description The request that names the directory. */
            request: string;
            /** @description True if containers find the file under the name of the pod's entry, as for claims that were made from a template. */
            template?: boolean;
            /** @description UID of the claim. */
            uid: string;
        };
        DeviceMetadataPod: {
            /** @description Init containers first. */
            containers: components["schemas"]["DeviceMetadataContainer"][];
            /** @description Where in the submitted text the pod's name stands. */
            location?: components["schemas"]["Location"];
            name: string;
            namespace: string;
            /** @description The node that it is on, or goes to. */
            node: string;
            /** @description What the kubelet waits for before it starts the pod; the files are there after that. */
            waits?: string;
        };
        DeviceMetadataRequest: {
            devices?: components["schemas"]["AllocatedDevice"][];
            name: string;
        };
        DeviceMetadataResult: {
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description Every file that a driver writes, claim by claim: first those of pods, then the rest. */
            files: components["schemas"]["DeviceMetadataFile"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description What is worth knowing about these files. */
            notes: components["schemas"]["AnswerNote"][];
            /**
             * Format: int64
             * @description How many files, or entries of containers, are left out because they are more than one answer holds.
             */
            omitted?: number;
            /** @description Every pod that has claims and a node, with what its containers see. */
            pods: components["schemas"]["DeviceMetadataPod"][];
            /** @description The versions in which each file holds its object, in that order. */
            versions: string[];
        };
        DeviceReason: {
            /** @description Stable code of the rule that refused the device. */
            code: string;
            device: string;
            driver: string;
            /** @description Where in the submitted text the cause lies, if that is in a slice, a taint rule, a class or a node. */
            location?: components["schemas"]["Location"];
            message: string;
            pool: string;
        };
        Diagnostic: {
            /** @description Path of the field as the API server prints it for that API version. */
            field?: string;
            /** @description The feature gate that decides. */
            gate?: string;
            /** @description Where in the text; missing where the place is not known. */
            location?: components["schemas"]["Location"];
            /** @description What is wrong, the limit or rule, and what to do. */
            message: string;
            /** @description The object that the finding is about; missing when the text could not be read as one. */
            object?: components["schemas"]["Object"];
            /** @description Other places that have a part in it. */
            related?: components["schemas"]["Related"][];
            /** @description Stable id of the rule, unique within its source; see /v1/rules. */
            rule: string;
            /**
             * @description How bad it is.
             * @enum {string}
             */
            severity: "error" | "warning" | "info";
            /**
             * @description Who objects: decode (it cannot be read as its kind), api (the API server rejects it), gate (accepted, but the field is dropped at this version with these gates), bundle (objects that do not fit each other).
             * @enum {string}
             */
            source: "decode" | "api" | "gate" | "bundle";
            /** @description A change that mends it. */
            suggestion?: components["schemas"]["Suggestion"];
            /** @description For a change: before, if the finding is about the text before it, as object and location then are. */
            text?: string;
            /** @description The type of error that the API server gives, such as FieldValueInvalid. */
            type?: string;
            /** @description Where the rule is explained, relative to the server. */
            url: string;
            /** @description The offending value as written, shortened when long. */
            value?: string;
        };
        DiffOutcome: {
            /** @description The devices of all claims, as request: driver/pool/device. */
            devices: string[];
            /** @description The outcome in one or two sentences, with the reason for a no. */
            message: string;
            node?: string;
            /** @description As in the answer of /v1/allocate. */
            outcome: string;
        };
        DiffResult: {
            after: components["schemas"]["DiffSide"];
            before: components["schemas"]["DiffSide"];
            /** @description The same for claims that no pod uses. */
            claims: components["schemas"]["Difference"][];
            /** @description Taints with effect NoExecute of the bundle after that do something other than before. */
            evictions: components["schemas"]["Eviction"][];
            /** @description The pods of which something else becomes, in the order of the bundle after; then those that are only in the one before. */
            pods: components["schemas"]["Difference"][];
            /** @description How many stay what they were. */
            unchanged: components["schemas"]["DiffUnchanged"];
        };
        DiffSide: {
            /**
             * @description Which of the scheduler's three allocators these gates make it run.
             * @enum {string}
             */
            allocator: "stable" | "incubating" | "experimental";
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            /**
             * Format: int64
             * @description How many findings with severity error there are; /v1/validate-update names them.
             */
            errors: number;
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /**
             * Format: int64
             * @description How many of them have a node or get one.
             */
            placed: number;
            /**
             * Format: int64
             * @description How many pods use devices.
             */
            pods: number;
        };
        DiffUnchanged: {
            /** Format: int64 */
            claims: number;
            /** Format: int64 */
            pods: number;
        };
        Difference: {
            /** @description What becomes of it; missing if it is not there any more. */
            after?: components["schemas"]["DiffOutcome"];
            /** @description What became of it; missing if it was not there. */
            before?: components["schemas"]["DiffOutcome"];
            /**
             * @description What differs, the gravest first: it is there on one side only, something else becomes of it, it gets another node, or other devices.
             * @enum {string}
             */
            change: "added" | "removed" | "outcome" | "node" | "devices";
            name: string;
            namespace: string;
        };
        DriverOperations: {
            devices: components["schemas"]["OperationDevice"][];
            driver: string;
            /** @description Why, in a sentence. */
            message: string;
            /**
             * @description NodePrepareResources: Prepared if that was done before, Waits if the plugin is absent, NotReached if something else is in the way.
             * @enum {string}
             */
            prepare: "Called" | "Skipped" | "Prepared" | "Waits" | "NotReached";
            /**
             * @description NodeUnprepareResources: Kept while other pods use the claim, Waits if the plugin is absent, NotReached if nothing was prepared.
             * @enum {string}
             */
            unprepare: "Called" | "Skipped" | "Kept" | "Waits" | "NotReached";
        };
        DynamicResource: {
            claimName?: string;
            claimNamespace?: string;
            /** @description All devices of the claim, whichever requests the container names. */
            claimResources?: components["schemas"]["ClaimResource"][];
        };
        EvictedPod: {
            /** @description Namespace and name of the claim for which it goes first. */
            claim: string;
            /** @description The device for which it goes first, as driver/pool/device. */
            device: string;
            /** @description When, and why. */
            message: string;
            /** @description The node that it is on. */
            node: string;
            /** @description Namespace and name of the pod. */
            pod: string;
            /**
             * Format: int64
             * @description How many seconds after the taint was added it goes; 0 for at once.
             */
            seconds: number;
        };
        Eviction: {
            /** @description The device of the slice, as driver/pool/device. */
            device?: string;
            /** @description Where in the submitted text the taint is. */
            location?: components["schemas"]["Location"];
            /** @description All of it in one sentence. */
            message: string;
            /** @description The pods that go, in the bundle's order. */
            pods: components["schemas"]["EvictedPod"][];
            /** @description The DeviceTaintRule that has the taint. */
            rule?: string;
            /** @description True for a rule with effect None: this is what effect NoExecute would do. */
            simulated?: boolean;
            /** @description The ResourceSlice that has the taint, on the device. */
            slice?: string;
            /** @description The taint, as key=value:effect. */
            taint: string;
        };
        ExampleOptions: {
            featureGates?: string;
            fieldValidation?: string;
            kubernetesVersion?: string;
        };
        ExplainResult: {
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            /** @description What becomes of the claim, if the question is about one. */
            claim?: components["schemas"]["ClaimResult"];
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description Changes with which it would fit, smallest first; the plan was run with each. */
            fitsIf: components["schemas"]["Counterfactual"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /**
             * Format: int64
             * @description With how many it would have been run at most; fewer for larger bundles.
             */
            limit: number;
            /** @description What becomes of the pod, if the question is about one. */
            pod?: components["schemas"]["PodResult"];
            /**
             * Format: int64
             * @description How many changes the plan was run with.
             */
            tried: number;
        };
        GateInfo: {
            /** @description Whether the gate is on unless somebody sets it. */
            default: boolean;
            /** @description True if the gate cannot be set to anything but its default. */
            locked: boolean;
            name: string;
            /** @description Gates that must be on for this one to be on. */
            needs: string[];
            /** @enum {string} */
            stage: "alpha" | "beta" | "GA" | "deprecated";
        };
        ListPodResources: {
            /** @description The pods of the node, in the bundle's order; the kubelet's own is chance. */
            podResources?: components["schemas"]["PodResources"][];
        };
        Location: {
            /**
             * Format: int64
             * @description First column, from 1, in Unicode code points.
             */
            column: number;
            /**
             * Format: int64
             * @description Document of the text, from 0.
             */
            document: number;
            /**
             * Format: int64
             * @description Column behind the end.
             */
            endColumn: number;
            /**
             * Format: int64
             * @description Line of the end.
             */
            endLine: number;
            /**
             * Format: int64
             * @description First line, from 1.
             */
            line: number;
        };
        MetadataFiles: {
            /** @description The file: a stream of JSON objects. */
            current: string;
            /** @description The file that was there before; empty for none. */
            previous?: string;
        };
        MetadataFinding: {
            /** @description Stable code of the rule; see docs/metadata.md. */
            code: string;
            /** @description Path of the field in the object. */
            field?: string;
            /**
             * @description Which of the two files it is about.
             * @enum {string}
             */
            file: "current" | "previous";
            /** @description Where in the file. */
            location?: components["schemas"]["Location"];
            /** @description What is wrong, the limit or rule, and what to do. */
            message: string;
            /**
             * Format: int64
             * @description Which object of the file, from 0; missing if it is about all of it.
             */
            object?: number;
            /**
             * @description Error for what readers cannot take or the protocol forbids, warning for what they pass over.
             * @enum {string}
             */
            severity: "error" | "warning" | "info";
            /** @description A change that mends it. */
            suggestion?: components["schemas"]["Suggestion"];
            /** @description The type of error that Kubernetes' validation gives, such as FieldValueInvalid. */
            type?: string;
            /** @description The offending value as written, shortened when long. */
            value?: string;
        };
        MissedDeviceMetadata: {
            /**
             * Format: int64
             * @description Which of the files, from 0.
             */
            file: number;
            /** @description What of the pod makes it so, and how to change that. */
            why: string;
        };
        Modification: {
            /** @description Changes of the text as it was submitted; they do not overlap. */
            edits?: components["schemas"]["TextEdit"][];
            /** @description The option featureGates to ask with instead. */
            featureGates?: string;
            /** @description The field to change. */
            field?: string;
            /**
             * @description What kind of change this is.
             * @enum {string}
             */
            kind: "amount" | "selector" | "constraint" | "toleration" | "reference" | "gate" | "release" | "wait" | "node" | "slice" | "class" | "recreate" | "suggestion";
            /** @description The option kubernetesVersion to ask with instead. */
            kubernetesVersion?: string;
            /** @description The change in a few words, as they follow on "if". */
            message: string;
            /** @description The object to change. */
            object?: components["schemas"]["Object"];
        };
        NegotiateResult: {
            /** @description What the text leaves open and was taken for granted. */
            assumptions: string[];
            /** @description What is wrong with the objects. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The version whose scheduler is played, 1.26 to 1.31. */
            kubernetesVersion: string;
            /** @description Each pod that uses a claim which a driver's controller allocates, in the order of the text. */
            pods: components["schemas"]["Negotiation"][];
        };
        Negotiation: {
            /** @description Where the pod is in the text. */
            location?: components["schemas"]["Location"];
            name: string;
            namespace: string;
            /** @description The node of the pod. */
            node?: string;
            /**
             * @description Scheduled: it gets a node. Stuck: nobody writes anything any more, and it waits. AlreadyScheduled: it was created with a node and can start there. Undecided: a budget ran out.
             * @enum {string}
             */
            outcome: "Scheduled" | "Stuck" | "AlreadyScheduled" | "Undecided";
            /** @description Why the pod is stuck, or undecided. */
            reason?: string;
            /** @description Every write, in order, and how it ends. */
            steps: components["schemas"]["NegotiationStep"][];
        };
        NegotiationStep: {
            /** @description Who acts: kube-scheduler, kube-controller-manager, kubelet, or the controller of a driver. */
            actor: string;
            /** @description Where the object is in the text; missing where it was made. */
            location?: components["schemas"]["Location"];
            /** @description The object after the write, as YAML; missing where it is deleted or not known in full. */
            object?: string;
            /** @description The objects that it goes by. */
            reads: string[];
            /**
             * Format: int64
             * @description Number of the step, from 1.
             */
            step: number;
            /** @description Why it does so. */
            why: string;
            /** @description The object that it writes and the part of it; missing where it writes nothing. */
            writes?: string;
        };
        NodeCall: {
            /** @description The claims in the call, as namespace/name. */
            claims: string[];
            driver: string;
            /** @enum {string} */
            method: "NodePrepareResources" | "NodeUnprepareResources";
        };
        NodeCopies: {
            /** Format: int64 */
            copies: number;
            /** @description Name of the node; empty for the nameless node that stands in when the bundle names none. */
            name: string;
        };
        NodeGroup: {
            /** @description The first of them, in the bundle's order. */
            example: string;
            fits: boolean;
            /** @description All of it in one sentence. */
            message: string;
            /**
             * Format: int64
             * @description How many nodes these are.
             */
            nodes: number;
            /** @description What the nodes have in common; messages and places are those of the example. */
            reasons?: components["schemas"]["ReasonGroup"][];
        };
        NodeOperationsResult: {
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description Every pod that uses devices, or came with a node and never gets those that it asks for, in the bundle's order. */
            pods: components["schemas"]["PodOperations"][];
            /** @description Nodes that do not declare DRAOptionalNodeOperations, if a slice or an allocation skips node operations. */
            undeclared?: components["schemas"]["UndeclaredNode"][];
        };
        NodePhase: {
            /** @description The calls that are made, one for each driver; the kubelet makes them in any order, one after the other. */
            calls?: components["schemas"]["NodeCall"][];
            /** @description Stable code of what is in the way, or of what is missing. */
            code?: string;
            /** @description What happens, or what is in the way, the rule, and what to do. */
            message: string;
            /**
             * @description Goes if nothing is in the way, Waits if the kubelet tries again and again, Refused if it does not try again, Past if that is behind the pod.
             * @enum {string}
             */
            outcome: "Goes" | "Waits" | "Refused" | "Past";
            /** @description The words of the kubelet for what is in the way: in the event FailedPrepareDynamicResources of the pod at its start, in status.reason and status.message of one that it refuses, in the kubelet's log at its end. */
            reads?: string;
        };
        NodeResult: {
            fits: boolean;
            /** @description Name of the node; empty for the nameless node that stands in when the bundle names none. */
            name: string;
            reasons?: components["schemas"]["Reason"][];
        };
        NodeStep: {
            /** @enum {string} */
            actor: "API server" | "scheduler" | "resourceclaim controller" | "kubelet" | "driver";
            location?: components["schemas"]["Location"];
            message: string;
            /**
             * @description Done if it happens, Stops if it cannot happen and all that follows waits, Never if nobody does it, Next if it comes when the pod has ended.
             * @enum {string}
             */
            outcome: "Done" | "Stops" | "Never" | "Next";
        };
        Object: {
            apiVersion: string;
            /**
             * Format: int64
             * @description Position of the object in the bundle, from 0.
             */
            index: number;
            kind: string;
            name: string;
            namespace?: string;
        };
        ObjectResult: {
            /** @description API version as written. */
            apiVersion: string;
            /**
             * Format: int64
             * @description Position of the object in the bundle, from 0; in the one before a change for an object that is deleted.
             */
            index: number;
            /** @description Kind as written. */
            kind: string;
            /** @description metadata.name, or metadata.generateName with a trailing * where there is no name. */
            name: string;
            /** @description Namespace as written; empty where there is none. */
            namespace: string;
            /**
             * @description For a change: what it does to the object. Missing for an object that has no status to update.
             * @enum {string}
             */
            operation?: "create" | "update" | "status" | "delete";
            /** @description False if any finding with severity error is about this object. */
            valid: boolean;
        };
        OperationDevice: {
            device: string;
            /** @description Where in the submitted text the result stands, or else the device. */
            location?: components["schemas"]["Location"];
            pool: string;
            request: string;
            /** @description What its allocation skips, which was copied from the slice at that time. */
            skipNodeOperations?: string[];
        };
        PatchOperation: {
            /** @enum {string} */
            op: "add" | "remove" | "test";
            /** @description JSON pointer to the value. */
            path: string;
            /** @description The value to add or to compare with; missing for remove. */
            value?: unknown;
        };
        Picture: {
            /** @description What constraints of allocated claims tie together. */
            links: components["schemas"]["PictureLink"][];
            /** @description Every node, in the bundle's order; those that were assumed included. */
            nodes: components["schemas"]["PictureNode"][];
            /**
             * Format: int64
             * @description How many devices are left out, because there are more than one answer holds.
             */
            omitted?: number;
            /** @description Every pool, in the order in which the bundle first names them. */
            pools: components["schemas"]["PicturePool"][];
        };
        PictureBar: {
            /** @description What is left of it; less than nothing if more is taken than there is. */
            left: string;
            name: string;
            /** @description Who takes how much. */
            parts?: components["schemas"]["PicturePart"][];
            /**
             * Format: int64
             * @description What is taken, in thousandths of the total.
             */
            permille: number;
            /** @description All there is, as written. */
            total: string;
            /** @description What is taken of it. */
            used: string;
        };
        PictureCounterSet: {
            /** @description By name. */
            counters: components["schemas"]["PictureBar"][];
            /** @description Where in the submitted text the set is published. */
            location?: components["schemas"]["Location"];
            name: string;
        };
        PictureDevice: {
            /** @description By name. Claims take of it only if the device is shared; else who holds the device has all of it. */
            capacity?: components["schemas"]["PictureBar"][];
            /** @description What the device takes of the counters of its pool when somebody holds it. */
            draws?: components["schemas"]["PictureDraw"][];
            /** @description Which nodes can use it, in words, where each device of the pool says so itself. */
            for?: string;
            /** @description The claims that hold it, or a share of it, or look at it as administrators. */
            holders?: components["schemas"]["PictureHolder"][];
            /** @description Where in the submitted text the device is published. */
            location?: components["schemas"]["Location"];
            name: string;
            /** @description True if several claims can have a share of it. */
            shared?: boolean;
            /** @description Its taints, those of rules included. */
            taints?: components["schemas"]["PictureTaint"][];
        };
        PictureDraw: {
            /** @description By name. */
            counters: components["schemas"]["PictureTaken"][];
            /** @description The compatibility groups of the device there: it can be in use together with devices that have one of them. */
            groups?: string[];
            /** @description Name of the set of counters. */
            set: string;
        };
        PictureHolder: {
            /** @description True for admin access, which holds nothing. */
            admin?: boolean;
            /** @description Namespace and name of the claim. */
            claim: string;
            /** @description The request, or request/subrequest. */
            request: string;
            /** @description ID of its share. */
            share?: string;
        };
        PictureLink: {
            attribute: string;
            /** @description Namespace and name of the claim. */
            claim: string;
            /** @description As driver/pool/device. */
            devices: string[];
            /** @enum {string} */
            kind: "matchAttribute" | "distinctAttribute";
            /** @description What each of the devices has for the attribute; empty where it publishes none. */
            values: string[];
        };
        PictureNode: {
            /** @description The first node whose own pools look the same, names of pools and claims aside; missing for that node itself. */
            like?: string;
            /** @description Where in the submitted text its name stands; missing for a node that was assumed. */
            location?: components["schemas"]["Location"];
            /** @description Name of the node; empty for the nameless node that stands in when the bundle names none. */
            name: string;
        };
        PicturePart: {
            amount: string;
            /** @description The claims, as namespace/name, for which it is taken. */
            claims: string[];
            /** @description The device that draws from the counter. */
            device?: string;
            /**
             * Format: int64
             * @description The amount in thousandths of the total.
             */
            permille: number;
        };
        PicturePool: {
            /**
             * Format: int64
             * @description How many slices the pool is to have.
             */
            announced: number;
            /** @description What devices of the pool draw from. */
            counters?: components["schemas"]["PictureCounterSet"][];
            devices: components["schemas"]["PictureDevice"][];
            driver: string;
            /** @description Which nodes can use its devices, in words, where that is not one node. */
            for?: string;
            /** Format: int64 */
            generation: number;
            /** @description Where in the submitted text the pool's name stands first; with a problem, where that lies. */
            location?: components["schemas"]["Location"];
            name: string;
            /** @description The node that all of its devices belong to. */
            node?: string;
            /**
             * Format: int64
             * @description How many slices of older generations the bundle has; their devices do not count.
             */
            outdated?: number;
            /** @description Why no device can be taken from the pool. */
            problem?: string;
            /**
             * Format: int64
             * @description How many slices of the generation the bundle has.
             */
            slices: number;
        };
        PictureTaint: {
            /** @description Where in the submitted text it is set, in the slice or in a rule. */
            location?: components["schemas"]["Location"];
            /** @description The taint, as key=value:effect. */
            taint: string;
        };
        PictureTaken: {
            amount: string;
            /** @description Name of the counter. */
            name: string;
            /**
             * Format: int64
             * @description The amount in thousandths of what the counter has in all.
             */
            permille: number;
        };
        PodDeviceHealth: {
            /** @description Namespace and name of the claim. */
            claim: string;
            device: string;
            driver: string;
            /** @enum {string} */
            health: "Healthy" | "Unhealthy" | "Unknown";
            /** @description Where in the submitted text the report stands, or else the device. */
            location?: components["schemas"]["Location"];
            /** @description Where that comes from, and why the status does not tell it. */
            message: string;
            pool: string;
            request: string;
            /** @description True if the status of the pod tells it. */
            told: boolean;
        };
        PodHealth: {
            /** @description What the kubelet writes into status.containerStatuses of the pod about claims. It writes them in any order. */
            containerStatuses?: components["schemas"]["ContainerHealthStatus"][];
            /** @description Every device of the pod, whether or not the kubelet writes about it. */
            devices: components["schemas"]["PodDeviceHealth"][];
            /**
             * @description That of its worst device: Unhealthy before Unknown before Healthy.
             * @enum {string}
             */
            health: "Healthy" | "Unhealthy" | "Unknown";
            /** @description Where in the submitted text the name of the pod stands. */
            location?: components["schemas"]["Location"];
            /** @description All of it in a sentence. */
            message: string;
            name: string;
            namespace: string;
            node: string;
        };
        PodOperations: {
            /** @description True if the pod came with a node and without devices, so that no scheduler looks after it. */
            bypassed?: boolean;
            /** @description Its claims, in the pod's order, with what is asked of each driver. */
            claims?: components["schemas"]["ClaimOperations"][];
            /** @description Where in the submitted text the name of the pod stands. */
            location?: components["schemas"]["Location"];
            /** @description All of it in one or two sentences. */
            message: string;
            name: string;
            namespace: string;
            /** @description The node that the pod is on, or is placed on. */
            node?: string;
            /** @description True if claims and steps are left out, because there are more than one answer holds. */
            omitted?: boolean;
            /**
             * @description What the plan makes of the pod.
             * @enum {string}
             */
            outcome: "Scheduled" | "Unschedulable" | "AlreadyScheduled" | "Invalid" | "Undecided";
            /** @description The JSON patch of a pod to be created anew, which leaves the choice of devices to the scheduler; for a pod that went past it. */
            patch?: components["schemas"]["PatchOperation"][];
            /** @description What would free a pod that waits, or give devices to one that goes without, each in a sentence. */
            remedies?: string[];
            /** @description Before its containers start. */
            start?: components["schemas"]["NodePhase"];
            /**
             * @description How far the pod gets: Waits if the kubelet cannot start it, Refused if it never will, Runs if it runs already, NoNode if no kubelet has it.
             * @enum {string}
             */
            state: "Starts" | "Waits" | "Refused" | "Runs" | "Terminating" | "Ended" | "NoNode";
            /** @description Who does what, in order, from the pod's creation to its end. */
            steps?: components["schemas"]["NodeStep"][];
            /** @description After its containers have ended, if it was the next to go. */
            stop?: components["schemas"]["NodePhase"];
        };
        PodResources: {
            /** @description First the init containers that keep running, then the others. */
            containers?: components["schemas"]["ContainerResources"][];
            name?: string;
            namespace?: string;
        };
        PodResourcesResult: {
            /** @description The answer to GetAllocatableResources, which tells of device plugins, CPUs and memory only. */
            allocatable: components["schemas"]["AllocatableResources"];
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description Pods of the node that have ended, or that its kubelet has refused: Get answers for them, and List leaves them out. */
            ended: components["schemas"]["PodResources"][];
            /** @description The answer to Get, for the pod that is asked for. */
            get?: components["schemas"]["PodResources"];
            /** @description The error that Get answers instead. */
            getError?: string;
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description The answer to List. */
            list: components["schemas"]["ListPodResources"];
            /** @description The node whose kubelet is asked. */
            node: string;
            /** @description What is worth knowing about these answers. */
            notes: components["schemas"]["AnswerNote"][];
            /** @description True if devices are left out because there are more than one answer holds. */
            omitted?: boolean;
        };
        PodResult: {
            /** @description The claims that the pod uses, as namespace/name, in the pod's order. */
            claims: string[];
            /** @description Which container gets which request of the claim that stands for the pod's extended resources, as the scheduler writes it into the status of the pod. */
            extendedResourceClaimStatus?: {
                [key: string]: unknown;
            };
            /** @description The nodes that were tried, those alike together, with explain=summary. */
            groups?: components["schemas"]["NodeGroup"][];
            /** @description Where in the submitted text the pod's name stands, with picture=true. */
            location?: components["schemas"]["Location"];
            /** @description The outcome in one or two sentences. */
            message?: string;
            name: string;
            namespace: string;
            /** @description The node that the pod is placed on. */
            node?: string;
            /** @description What the devices of the pod take of the node's own resources, as the scheduler writes it into the status of the pod. */
            nodeAllocatableResourceClaimStatuses?: {
                [key: string]: unknown;
            }[];
            /** @description What the kubelet does with the claims of the pod, with nodeOperations=true. */
            nodeOperations?: components["schemas"]["PodOperations"];
            /** @description Every node that was tried; empty with explain=summary or none. */
            nodes: components["schemas"]["NodeResult"][];
            /** @enum {string} */
            outcome: "Scheduled" | "Unschedulable" | "AlreadyScheduled" | "Invalid" | "Undecided";
        };
        Problem: {
            /**
             * @description What is wrong with this request, and what to do.
             * @example the body is empty; send the objects as YAML or JSON
             */
            detail?: string;
            /**
             * @description The query parameter that is wrong, where it is one.
             * @example kubernetesVersion
             */
            parameter?: string;
            /**
             * Format: int64
             * @description The HTTP status code.
             * @example 400
             */
            status: number;
            /**
             * @description The HTTP status in words.
             * @example Bad Request
             */
            title: string;
        };
        Reason: {
            /** @description Namespace and name of the claim. */
            claim?: string;
            /** @description Stable code of the reason. */
            code: string;
            /** @description Every device that was considered, with the rule that refused it. */
            devices?: components["schemas"]["DeviceReason"][];
            /** @description Where in the submitted text the reason lies. */
            location?: components["schemas"]["Location"];
            /** @description What is wrong, the limit or rule, and what to do. */
            message: string;
            /** @description True if Kubernetes gives up on the whole pod for this, whatever other nodes offer. */
            podWide?: boolean;
            /** @description The request of the claim, or request/subrequest. */
            request?: string;
        };
        ReasonGroup: {
            /** @description Namespace and name of the claim. */
            claim?: string;
            /** @description Stable code of the reason. */
            code: string;
            /** @description The devices that were considered on all nodes of the group, counted by the rule that refused them, most first. */
            devices?: components["schemas"]["DeviceGroup"][];
            /** @description Where in the submitted text the reason lies. */
            location?: components["schemas"]["Location"];
            /** @description The reason as the example has it. */
            message: string;
            /** @description True if Kubernetes gives up on the whole pod for this, whatever other nodes offer. */
            podWide?: boolean;
            /** @description The request of the claim, or request/subrequest. */
            request?: string;
        };
        Related: {
            location?: components["schemas"]["Location"];
            /** @description What this place has to do with it. */
            message: string;
            object?: components["schemas"]["Object"];
        };
        ResourceHealth: {
            health?: string;
            message?: string;
            resourceID: string;
        };
        ResourceHealthResult: {
            /** @description What was taken for granted because the bundle does not say. */
            assumptions: string[];
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /**
             * Format: int64
             * @description How many pods are left out, because there are more devices than one answer holds.
             */
            omittedPods?: number;
            /**
             * Format: int64
             * @description How many more rules there would be than one answer holds.
             */
            omittedRules?: number;
            /** @description Every pod that has devices on a node, in the bundle's order. */
            pods: components["schemas"]["PodHealth"][];
            /** @description For each device that is reported unhealthy, the DeviceTaintRule that would take it out of service. */
            taintRules?: components["schemas"]["TaintRule"][];
        };
        ResourceStatus: {
            name: string;
            resources?: components["schemas"]["ResourceHealth"][];
        };
        RightAsk: {
            allowed: boolean;
            apiGroup: string;
            /** @description What allows it. */
            by?: components["schemas"]["RightGrant"];
            message: string;
            /** @description The claim's name, or the driver's; missing where it is asked for all names. */
            name?: string;
            /** @description Missing where it is asked for all namespaces. */
            namespace?: string;
            resource: string;
            subresource?: string;
            verb: string;
        };
        RightCheck: {
            allowed: boolean;
            /** @description The questions to the authorizer, one after the other until one is allowed. */
            asked: components["schemas"]["RightAsk"][];
            /** @description The driver whose entries are written. */
            driver?: string;
            /** @description The part of the status that it is for; missing for the request as such. */
            field?: string;
            /** @description What allows it, or why nothing does. */
            message: string;
        };
        RightGrant: {
            /** @description The binding that gives it to the subject. */
            binding?: components["schemas"]["RightSource"];
            /** @description The aggregate that has the rule from that role, if that is what is bound. */
            into?: components["schemas"]["RightSource"];
            /** @description The role that the rule is written in. */
            role?: components["schemas"]["RightSource"];
            /**
             * Format: int64
             * @description Position of the rule in the role, from 0.
             */
            rule: number;
            /** @description The subject of the binding that is meant: kind, and name. */
            subject?: string;
            /** @description True for members of system:masters, for whom no role is looked at. */
            superuser?: boolean;
        };
        RightSource: {
            /** @description True for what every cluster starts with. */
            builtIn?: boolean;
            kind: string;
            /** @description Where in the text: the rule of a role, the name of a binding. */
            location?: components["schemas"]["Location"];
            name: string;
            namespace?: string;
            /** @description before, if it stands in the text before. */
            text?: string;
        };
        RightsSubject: {
            /** @description All groups, those that the API server adds included. */
            groups: string[];
            /** @description The node that the token names. */
            node?: string;
            /** @description The name as the API server knows it. */
            user: string;
        };
        RoleTrial: {
            allowed: boolean;
            /** @description What was tried, and what came of it. */
            message: string;
        };
        RolesResult: {
            /** @enum {string} */
            for: "scheduler" | "node-driver" | "controller";
            /** @description The version whose rules the roles were tried by, such as 1.37. */
            kubernetesVersion: string;
            /** @description Name of the role and of its binding. */
            name: string;
            /** @description A ClusterRole and its ClusterRoleBinding, as YAML with comments. */
            text: string;
            /** @description What was tried with them. */
            tries: components["schemas"]["RoleTrial"][];
        };
        RuleExample: {
            /** @description The stored objects, for an update. */
            before?: string;
            /** @description The same text, mended. Where it is no other, the options for it are. */
            mend: string;
            /** @description Under which options the mended text is right. */
            mendOptions: components["schemas"]["ExampleOptions"];
            /**
             * @description What is done: an object is created, updated, or its status is.
             * @enum {string}
             */
            operation: "create" | "update" | "status";
            /** @description Under which options the wrong text breaks the rule. */
            options: components["schemas"]["ExampleOptions"];
            /** @description A text that breaks the rule. */
            wrong: string;
        };
        RuleInfo: {
            /** @description What the rule demands, in one sentence. */
            doc: string;
            example: components["schemas"]["RuleExample"];
            /** @description The rule of a finding; unique within its source. */
            id: string;
            /** @description Where Kubernetes states the rule: a link, or functions of its code. Missing for rules of our own. */
            reference?: string;
            /**
             * @description What its findings have unless they say otherwise.
             * @enum {string}
             */
            severity: "error" | "warning" | "info";
            /** @enum {string} */
            source: "decode" | "api" | "gate" | "bundle";
            /** @description Where the rule is explained, relative to the server. */
            url: string;
        };
        RulesResult: {
            /** @description By source and id. */
            rules: components["schemas"]["RuleInfo"][];
        };
        SeenDeviceMetadata: {
            /**
             * Format: int64
             * @description Which of the files, from 0.
             */
            file: number;
            /** @description Where the container finds it. */
            path: string;
            /** @description What of the pod makes it so. */
            why: string;
        };
        StatusAuthorizationResult: {
            /** @description True if all of it is allowed, for each claim. */
            allowed: boolean;
            /** @description What was taken for granted because the texts do not say. */
            assumptions: string[];
            /** @description Every claim whose status is written. */
            claims: components["schemas"]["ClaimRights"][];
            /** @description What is wrong with reading the texts, and roles that do not do what they seem to. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description True if the API server looks at the parts of a status: from 1.36 on, unless DRAResourceClaimGranularStatusAuthorization is off. */
            granular: boolean;
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description The smallest role, with its binding, that allows what is refused, as YAML. It was tried. */
            mend?: string;
            /** @description The answer in one or two sentences. */
            message: string;
            subject: components["schemas"]["RightsSubject"];
            /** @enum {string} */
            verb: "update" | "patch" | "create";
        };
        StoredChange: {
            /** @description Path of the field; for default in the API version that is given, for the others in that of the object. */
            field: string;
            /** @description The feature gate that decides. */
            gate?: string;
            /** @description Where the field is in the text. */
            location?: components["schemas"]["Location"];
            /** @description What happens, in one sentence. */
            message: string;
            /** @description The value as JSON, shortened when long. */
            value: string;
            /**
             * @description A default that was filled in, a field that was dropped, one that is not read at all, or one that the other API version cannot hold, or refuses.
             * @enum {string}
             */
            what: "default" | "dropped" | "unread" | "lost";
        };
        Suggestion: {
            /** @description The range to replace. */
            location?: components["schemas"]["Location"];
            /** @description What to change. */
            message: string;
            /** @description Text to put in place of the location; empty with a location means: delete that range. */
            replacement?: string;
        };
        TaintRule: {
            /** @description The device, as driver/pool/device. */
            device: string;
            /** @description Where in the submitted text the device is reported. */
            location?: components["schemas"]["Location"];
            /** @description What is wrong with the device, and what the rule would do. */
            message: string;
            /** @description The pods that would go. */
            pods: components["schemas"]["EvictedPod"][];
            /** @description The rule, to be applied as it is. It has passed the API server's rules. */
            yaml: string;
        };
        TextEdit: {
            location: components["schemas"]["Location"];
            replacement: string;
        };
        UndeclaredNode: {
            /** @description Where in the submitted text the name of the node stands. */
            location?: components["schemas"]["Location"];
            /** @description What that means, in a sentence. */
            message: string;
            name: string;
        };
        ValidateResult: {
            /** @description All findings, by position and then by rule. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The version whose rules were applied, such as 1.37. */
            kubernetesVersion: string;
            /** @description Every object of the bundle, in its order; for a change, those that it deletes behind them. */
            objects: components["schemas"]["ObjectResult"][];
            /** @description True if no finding has severity error. */
            valid: boolean;
        };
        VersionInfo: {
            /** @description By name. */
            gates: components["schemas"]["GateInfo"][];
            /** @example 1.37 */
            version: string;
        };
        VersionsResult: {
            /** @description The version that applies when none is asked for. */
            default: string;
            /** @description Newest first. */
            versions: components["schemas"]["VersionInfo"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    allocate: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description How much to tell about nodes: full names every node and device (the default), summary groups nodes that are alike, none tells only what becomes of pods and claims. */
                explain?: "full" | "summary" | "none";
                /** @description Add what there is in the cluster: pools, devices and counters, who holds how much of them, and where each stands in the text. */
                picture?: boolean;
                /** @description Drivers whose plugin does not run, everywhere or on one node; all others are taken to run. */
                absentDrivers?: string;
                /** @description Add to each pod what the kubelet does with its claims. */
                nodeOperations?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllocateResult"];
                    "application/x-yaml": components["schemas"]["AllocateResult"];
                    "application/yaml": components["schemas"]["AllocateResult"];
                    /**
                     * @example event: progress
                     *     data: {"done":250,"total":500,"what":"pods"}
                     *
                     *     event: result
                     *     data: {"kubernetesVersion":"1.37","pods":[]}
                     */
                    "text/event-stream": string;
                    "text/yaml": components["schemas"]["AllocateResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    capacity: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description The pod that the question is about, as namespace/name. */
                pod?: string;
                /** @description The claim that the question is about, as namespace/name; instead of a pod. */
                claim?: string;
                /** @description The claim template that the question is about, as namespace/name; instead of a pod or a claim. */
                template?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapacityResult"];
                    "application/x-yaml": components["schemas"]["CapacityResult"];
                    "application/yaml": components["schemas"]["CapacityResult"];
                    /**
                     * @example event: progress
                     *     data: {"done":250,"total":500,"what":"pods"}
                     *
                     *     event: result
                     *     data: {"kubernetesVersion":"1.37","pods":[]}
                     */
                    "text/event-stream": string;
                    "text/yaml": components["schemas"]["CapacityResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    convert: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description API version to give the objects in. Default: that of each object. */
                apiVersion?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConvertResult"];
                    "application/x-yaml": components["schemas"]["ConvertResult"];
                    "application/yaml": components["schemas"]["ConvertResult"];
                    "text/yaml": components["schemas"]["ConvertResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "device-metadata": {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description Versions that drivers write, in their order, with commas between. Default: all, newest first. */
                metadataVersions?: string;
                /** @description Generation of the files. Default: 1, as when a claim is prepared. */
                generation?: number;
                /** @description Directory of the nodes with one for each driver. Default: /var/lib/kubelet/plugins. */
                pluginsDir?: string;
                /** @description Directory of the nodes for specifications of devices. Default: /var/run/cdi. */
                cdiDir?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceMetadataResult"];
                    "application/x-yaml": components["schemas"]["DeviceMetadataResult"];
                    "application/yaml": components["schemas"]["DeviceMetadataResult"];
                    "text/yaml": components["schemas"]["DeviceMetadataResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "device-metadata-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The file: a stream of JSON objects, one for each version of its API. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckMetadataResult"];
                    "application/x-yaml": components["schemas"]["CheckMetadataResult"];
                    "application/yaml": components["schemas"]["CheckMetadataResult"];
                    "text/yaml": components["schemas"]["CheckMetadataResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "device-metadata-check-update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Two files, each as the text that the check of one has for a body. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current": "{\"apiVersion\":\"metadata.resource.k8s.io/v1beta1\",\"kind\":\"DeviceMetadata\",\"metadata\":{\"name\":\"train\",\"namespace\":\"default\",\"generation\":2},\"requests\":[{\"name\":\"gpu\",\"devices\":[{\"driver\":\"gpu.example.com\",\"pool\":\"worker-1\",\"name\":\"gpu-1\"}]}]}",
                 *       "previous": "{\"apiVersion\":\"metadata.resource.k8s.io/v1beta1\",\"kind\":\"DeviceMetadata\",\"metadata\":{\"name\":\"train\",\"namespace\":\"default\",\"generation\":1},\"requests\":[{\"name\":\"gpu\",\"devices\":[{\"driver\":\"gpu.example.com\",\"pool\":\"worker-1\",\"name\":\"gpu-0\"}]}]}"
                 *     }
                 */
                "application/json": components["schemas"]["MetadataFiles"];
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckMetadataResult"];
                    "application/x-yaml": components["schemas"]["CheckMetadataResult"];
                    "application/yaml": components["schemas"]["CheckMetadataResult"];
                    "text/yaml": components["schemas"]["CheckMetadataResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    diff: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description Kubernetes version of the cluster after the change. Default: that of kubernetesVersion. */
                afterKubernetesVersion?: string;
                /** @description Feature gates of the cluster after the change, all that differ from its version's defaults. Default: those of featureGates. */
                afterFeatureGates?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Two bundles, each as the text that other operations have for a body. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: 2}}]}}\n",
                 *       "before": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\n"
                 *     }
                 */
                "application/json": components["schemas"]["Change"];
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffResult"];
                    "application/x-yaml": components["schemas"]["DiffResult"];
                    "application/yaml": components["schemas"]["DiffResult"];
                    "text/yaml": components["schemas"]["DiffResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explain: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description The pod that the question is about, as namespace/name. */
                pod?: string;
                /** @description The claim that the question is about, as namespace/name; instead of a pod. */
                claim?: string;
                /** @description How much to tell about nodes: summary groups nodes that are alike (the default), full names every node and device, none tells only what becomes of the pod or claim, and what would have to change. */
                explain?: "full" | "summary" | "none";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainResult"];
                    "application/x-yaml": components["schemas"]["ExplainResult"];
                    "application/yaml": components["schemas"]["ExplainResult"];
                    /**
                     * @example event: progress
                     *     data: {"done":250,"total":500,"what":"pods"}
                     *
                     *     event: result
                     *     data: {"kubernetesVersion":"1.37","pods":[]}
                     */
                    "text/event-stream": string;
                    "text/yaml": components["schemas"]["ExplainResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    negotiation: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the PodSchedulingContexts of the bundle for the answers that the controllers will give, rather than for what is in the cluster already. */
                fresh?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NegotiateResult"];
                    "application/x-yaml": components["schemas"]["NegotiateResult"];
                    "application/yaml": components["schemas"]["NegotiateResult"];
                    "text/yaml": components["schemas"]["NegotiateResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "node-operations": {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description Drivers whose plugin does not run, everywhere or on one node; all others are taken to run. */
                absentDrivers?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeOperationsResult"];
                    "application/x-yaml": components["schemas"]["NodeOperationsResult"];
                    "application/yaml": components["schemas"]["NodeOperationsResult"];
                    /**
                     * @example event: progress
                     *     data: {"done":250,"total":500,"what":"pods"}
                     *
                     *     event: result
                     *     data: {"kubernetesVersion":"1.37","pods":[]}
                     */
                    "text/event-stream": string;
                    "text/yaml": components["schemas"]["NodeOperationsResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "pod-resources": {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description The node whose kubelet is asked. It can be left out if all pods are on one node. */
                node?: string;
                /** @description A pod to ask Get for too, as namespace/name. */
                pod?: string;
                /** @description Form of the names that drivers give to devices for the container runtime, which can hold {driver}, {pool}, {device}, {request}, {namespace}, {claim}, {uid} and {share}. Default: {driver}/device={device}. */
                cdi?: string;
                /** @description Drivers write files for containers, whose names are listed with the devices. */
                deviceMetadata?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodResourcesResult"];
                    "application/x-yaml": components["schemas"]["PodResourcesResult"];
                    "application/yaml": components["schemas"]["PodResourcesResult"];
                    "text/yaml": components["schemas"]["PodResourcesResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "resource-health": {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Take the objects as already stored: plan without validating them first. */
                skipValidation?: boolean;
                /** @description The time, as in 2026-11-29T12:00:00Z, at which to judge whether devices have become ready in time; without it that is left open. */
                now?: string;
                /** @description Drivers whose plugin does not run, everywhere or on one node; all others are taken to run. */
                absentDrivers?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceHealthResult"];
                    "application/x-yaml": components["schemas"]["ResourceHealthResult"];
                    "application/yaml": components["schemas"]["ResourceHealthResult"];
                    /**
                     * @example event: progress
                     *     data: {"done":250,"total":500,"what":"pods"}
                     *
                     *     event: result
                     *     data: {"kubernetesVersion":"1.37","pods":[]}
                     */
                    "text/event-stream": string;
                    "text/yaml": components["schemas"]["ResourceHealthResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles: {
        parameters: {
            query: {
                /** @description Kubernetes version at which the roles are tried, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description For a scheduler, for a driver that runs on every node, or for one that runs once for all of them. */
                for: "scheduler" | "node-driver" | "controller";
                /** @description The name of the driver, for a driver. */
                driver?: string;
                /** @description Whose rights they are: a service account, as namespace/name. */
                serviceAccount: string;
                /** @description Name of the role and its binding. Default: the account's, and for what it is. */
                name?: string;
                /** @description How the status is written: update, patch or, the default, both with a comma between. */
                verbs?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolesResult"];
                    "application/x-yaml": components["schemas"]["RolesResult"];
                    "application/yaml": components["schemas"]["RolesResult"];
                    "text/yaml": components["schemas"]["RolesResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rules: {
        parameters: {
            query?: {
                /** @description Only rules of this source. */
                source?: "decode" | "api" | "gate" | "bundle";
                /** @description Only rules with this id. */
                id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulesResult"];
                    "application/x-yaml": components["schemas"]["RulesResult"];
                    "application/yaml": components["schemas"]["RulesResult"];
                    "text/yaml": components["schemas"]["RulesResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "status-authorization": {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description Who writes: the name as the API server knows it. For a service account give serviceAccount instead. */
                user?: string;
                /** @description Who writes: a service account, as namespace/name. */
                serviceAccount?: string;
                /** @description Groups of the user, with commas between, besides those that the API server adds itself. */
                groups?: string[];
                /** @description The node that the token of the service account names, as those do that kubelets mount into pods. */
                node?: string;
                /** @description How it is written; server-side apply is patch. Default: update. */
                verb?: "update" | "patch" | "create";
                /** @description The claim to look at, as namespace/name. Default: all that differ. */
                claim?: string;
                /** @description What is written: allocation, reservedFor, with commas between. Default, also without drivers: what differs between the two texts. */
                writes?: string[];
                /** @description Drivers whose entries of status.devices are written, with commas between. */
                drivers?: string[];
                /** @description The node that the claim is allocated to. Default: that of the text after. */
                allocatedNode?: string;
                /** @description Leave out the roles that every cluster starts with. */
                withoutBuiltIn?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Two bundles, each as the text that other operations have for a body. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: 2}}]}}\n",
                 *       "before": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\n"
                 *     }
                 */
                "application/json": components["schemas"]["Change"];
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusAuthorizationResult"];
                    "application/x-yaml": components["schemas"]["StatusAuthorizationResult"];
                    "application/yaml": components["schemas"]["StatusAuthorizationResult"];
                    "text/yaml": components["schemas"]["StatusAuthorizationResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validate: {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The objects: YAML with any number of documents, a JSON object or array, or a List as kubectl prints it. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                } | {
                    [key: string]: unknown;
                }[];
                "application/octet-stream": string;
                "application/x-yaml": string;
                "application/yaml": string;
                "text/yaml": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidateResult"];
                    "application/x-yaml": components["schemas"]["ValidateResult"];
                    "application/yaml": components["schemas"]["ValidateResult"];
                    "text/yaml": components["schemas"]["ValidateResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "validate-update": {
        parameters: {
            query?: {
                /** @description Kubernetes version whose rules apply, such as 1.37. Default: the newest known. */
                kubernetesVersion?: string;
                /** @description Feature gates that differ from the version's defaults, in the form of the API server's flag. */
                featureGates?: string;
                /** @description What becomes of unknown and duplicate fields. Default: Strict, as kubectl has it. */
                fieldValidation?: "Strict" | "Warn" | "Ignore";
                /** @description What is updated: status for the status alone. Default: all but the status. */
                subresource?: "status";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Two bundles, each as the text that other operations have for a body. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com, count: 2}}]}}\n",
                 *       "before": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}\n"
                 *     }
                 */
                "application/json": components["schemas"]["Change"];
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidateResult"];
                    "application/x-yaml": components["schemas"]["ValidateResult"];
                    "application/yaml": components["schemas"]["ValidateResult"];
                    "text/yaml": components["schemas"]["ValidateResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Timeout */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unprocessable Entity */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    versions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionsResult"];
                    "application/x-yaml": components["schemas"]["VersionsResult"];
                    "application/yaml": components["schemas"]["VersionsResult"];
                    "text/yaml": components["schemas"]["VersionsResult"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Acceptable */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
